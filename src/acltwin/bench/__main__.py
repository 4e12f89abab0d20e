"""`python -m acltwin.bench` is `acltwin bench`."""

import sys

from acltwin.bench.command import main

sys.exit(main())
