"""The machine's own instructions stand in one file, so that a new machine is a change of one file."""

from __future__ import annotations

import re
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "native" / "kernels"
INTRINSIC = re.compile(r"\b_mm\d*_\w+|\b__m(128|256)|\bv\w+_[usf](8|16|32|64)\b|intrin\.h|arm_neon\.h")


def test_only_one_file_has_intrinsics() -> None:
    sources = (path for path in sorted(KERNELS.rglob("*")) if path.suffix in (".h", ".cpp"))
    found = [path.name for path in sources if INTRINSIC.search(path.read_text(encoding="utf-8"))]
    assert found == ["machine.h"]
