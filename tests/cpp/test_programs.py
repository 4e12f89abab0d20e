"""The C++ programs of this folder, built against the SDK tree as users build theirs. Sanitizers run them elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.sdk_tree import STRICT, compile_program, run_program

HERE = Path(__file__).parent
PROGRAMS = sorted(path.stem for path in HERE.glob("test_*.cpp"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(tree: Path, tmp_path: Path, name: str) -> None:
    program = tmp_path / name
    compile_program(tree, HERE / f"{name}.cpp", program, ("-std=c++11", *STRICT, "-pthread"))
    done = run_program(tree, program)
    assert (done.returncode, done.stderr) == (0, "")
