"""The documents' own C++ samples, unmodified, with both link lines: they compile, run and print what is documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acltwin.ops import INTERFACES
from acltwin.ops.spec import OpSpec
from support.documents import sample_of
from support.sdk_tree import LINK_LINES, compile_program, run_program


@pytest.mark.parametrize("line", LINK_LINES)
@pytest.mark.parametrize("spec", INTERFACES.values(), ids=lambda spec: spec.name)
def test_a_sample_prints_the_documented_result(tree: Path, tmp_path: Path, spec: OpSpec, line: str) -> None:
    source = tmp_path / "sample.cpp"
    source.write_bytes(sample_of(spec))
    compile_program(tree, source, tmp_path / "sample", ("-std=c++11",), LINK_LINES[line])
    done = run_program(tree, tmp_path / "sample")
    assert (done.returncode, done.stderr) == (0, "")
    printed = [float(value) for value in re.findall(r"\[\d+\] is: (\S+)", done.stdout)]
    assert printed == pytest.approx([value for result in spec.example.expected for value in result], abs=1e-6)
