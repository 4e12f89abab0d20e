"""``python -m acltwin``: the same as the ``acltwin`` command."""

import sys

from acltwin.cli import main

sys.exit(main())
