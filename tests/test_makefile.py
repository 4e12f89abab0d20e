"""``make`` with a Python that is too old says so, and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.sdk_tree import ROOT

# Says that it is another version; ``-m venv`` only tells that it was reached.
PYTHON = """#!/bin/sh
case "$1" in
    --version) echo "Python {text}" ;;
    -c) exec {real} -c "import sys; sys.version_info = {numbers}; $2" ;;
    *) echo "reached: $*"; exit 9 ;;
esac
"""


def make_run(folder: Path, version: tuple[int, int, int]) -> tuple[str, list[str]]:
    """What ``make run`` prints with such a Python, and the files that there are afterwards."""
    shutil.copy(ROOT / "Makefile", folder)
    (folder / "src").mkdir()
    (folder / "native").mkdir()
    python = folder / "python"
    python.write_text(PYTHON.format(text=".".join(map(str, version)), real=sys.executable, numbers=version))
    python.chmod(0o755)
    # Not as a part of the `make` that may run these tests.
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    }
    command = ["make", "run", f"PYTHON={python}"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode != 0
    return done.stdout, sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("version", [(3, 10, 13), (2, 7, 18)])
def test_a_python_that_is_too_old(tmp_path: Path, version: tuple[int, int, int]) -> None:
    printed, files = make_run(tmp_path, version)
    assert printed.startswith("acltwin needs Python 3.11 or newer"), printed
    assert f"is Python {'.'.join(map(str, version))}; try: make PYTHON=" in printed
    assert files == ["Makefile", "native", "python", "src"]


def test_one_that_is_not(tmp_path: Path) -> None:
    assert "reached: -m venv .venv" in make_run(tmp_path, (3, 11, 0))[0]
