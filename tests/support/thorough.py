"""Whether the tests look longer than a merge can wait: ``make thorough`` sets the variable, before releases."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("TESTS_THOROUGH") == "1"
