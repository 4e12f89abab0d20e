"""Our own examples: they run, and print what their first lines say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.sdk_tree import ROOT, STRICT, compile_program, run_program

CPP = sorted((ROOT / "examples" / "cpp").glob("*.cpp"))
PYTHON = sorted((ROOT / "examples" / "python").glob("*.py"))


def promised(source: Path) -> str:
    """What stands indented below "It prints:". A line may go on where the promise ends."""
    text = source.read_text().replace("//", "")
    found = re.search(r"It prints:\n\n?((?: {3,}.+\n)+)", text)
    assert found is not None, f"{source.name} does not say what it prints"
    return "".join(line.strip() + "\n" for line in found.group(1).splitlines())


def assert_kept(source: Path, done: subprocess.CompletedProcess[str]) -> None:
    assert (done.returncode, done.stderr) == (0, "")
    printed = done.stdout.splitlines()
    for line, start in zip(printed, promised(source).splitlines(), strict=False):
        assert line.startswith(start)
    assert len(printed) >= len(promised(source).splitlines())


@pytest.mark.parametrize("source", CPP, ids=lambda source: source.stem)
def test_cpp(tree: Path, tmp_path: Path, source: Path) -> None:
    compile_program(tree, source, tmp_path / source.stem, ("-std=c++11", *STRICT))
    assert_kept(source, run_program(tree, tmp_path / source.stem))


@pytest.mark.parametrize("source", PYTHON, ids=lambda source: source.stem)
def test_python(source: Path) -> None:
    assert_kept(source, subprocess.run([sys.executable, source], text=True, capture_output=True))
