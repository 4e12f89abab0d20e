"""The operators' documents and the programs in them. They are not part of the project: a test without them is skipped.

``ACLTWIN_DOCUMENTS`` names their folder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from acltwin.ops.spec import OpSpec
from support.sdk_tree import ROOT

DOCUMENTS = Path(os.environ.get("ACLTWIN_DOCUMENTS", ROOT.parent / "shared" / "seeds"))


def document_of(spec: OpSpec) -> bytes:
    """The document whose title is the operator's name."""
    for path in sorted(DOCUMENTS.glob("*")) if DOCUMENTS.is_dir() else ():
        text = path.read_bytes()
        if text.split(b"\n", 1)[0].strip() == f"# {spec.c_name}".encode():
            return text
    pytest.skip(f"no document of {spec.c_name} in ACLTWIN_DOCUMENTS")


def sample_of(spec: OpSpec) -> bytes:
    """The document's C++ program."""
    blocks = re.findall(rb"```[Cc]pp\n(.*?)```", document_of(spec), re.DOTALL)
    (program,) = [block for block in blocks if b"int main()" in block]
    return program
