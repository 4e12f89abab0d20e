"""The gallery of mistakes: the pages say what the library says, and every message says what is right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECK = """
import sys
sys.path.insert(0, "tools")
import generate_error_pages

shown = generate_error_pages.galleries()
for name, least in (("arrays.txt", 60), ("acl.txt", 50)):
    given = shown[name][1]
    assert len(given) >= least, f"{name} has {len(given)} mistakes, expected {least} or more"
    for call, answer in given.items():
        assert "expected" in answer.message or "; " in answer.message, f"{call}: what is right? {answer}"
sys.argv = ["generate_error_pages.py", "--check"]
sys.exit(generate_error_pages.main(shown))
"""


def test_the_pages_are_what_the_library_says() -> None:
    """In a process of its own: warnings, devices and sessions of the ACL interface are the process's."""
    done = subprocess.run([sys.executable, "-c", CHECK], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
