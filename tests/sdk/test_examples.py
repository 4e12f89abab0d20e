"""Our own examples: they run, and print what their first lines say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.promises import kept
from support.sdk_tree import ROOT, STRICT, compile_program, run_program

CPP = sorted((ROOT / "examples" / "cpp").glob("*.cpp"))
PYTHON = sorted((ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("source", CPP, ids=lambda source: source.stem)
def test_cpp(tree: Path, tmp_path: Path, source: Path) -> None:
    compile_program(tree, source, tmp_path / source.stem, ("-std=c++11", *STRICT))
    kept(source, run_program(tree, tmp_path / source.stem))


@pytest.mark.parametrize("source", PYTHON, ids=lambda source: source.stem)
def test_python(source: Path) -> None:
    kept(source, subprocess.run([sys.executable, source], text=True, capture_output=True))
