"""The documents' own C++ samples, unmodified, with both link lines: they compile, run and print the documented results.

The documents are not part of the project. ``ACLTWIN_DOCUMENTS`` names their folder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from acltwin.ops import OPERATORS
from acltwin.ops.spec import OpSpec
from support.sdk_tree import LINK_LINES, ROOT, compile_program, run_program

DOCUMENTS = Path(os.environ.get("ACLTWIN_DOCUMENTS", ROOT.parent / "shared" / "seeds"))


def document_of(spec: OpSpec) -> bytes:
    """The document whose title is the operator's name."""
    for path in sorted(DOCUMENTS.glob("*")) if DOCUMENTS.is_dir() else ():
        text = path.read_bytes()
        if text.split(b"\n", 1)[0].strip() == f"# {spec.c_name}".encode():
            return text
    pytest.skip(f"no document of {spec.c_name} in ACLTWIN_DOCUMENTS")


@pytest.mark.parametrize("line", LINK_LINES)
@pytest.mark.parametrize("spec", OPERATORS.values(), ids=lambda spec: spec.name)
def test_a_sample_prints_the_documented_result(tree: Path, tmp_path: Path, spec: OpSpec, line: str) -> None:
    blocks = re.findall(rb"```[Cc]pp\n(.*?)```", document_of(spec), re.DOTALL)
    (program,) = [block for block in blocks if b"int main()" in block]
    source = tmp_path / "sample.cpp"
    source.write_bytes(program)
    compile_program(tree, source, tmp_path / "sample", ("-std=c++11",), LINK_LINES[line])
    done = run_program(tree, tmp_path / "sample")
    assert (done.returncode, done.stderr) == (0, "")
    printed = [float(value) for value in re.findall(r"\[\d+\] is: (\S+)", done.stdout)]
    assert printed == pytest.approx([value for result in spec.example.expected for value in result], abs=1e-6)
