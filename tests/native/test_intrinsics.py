"""The machine's own instructions stand in one file, so that a new machine is a change of one file."""

from __future__ import annotations

import re
from pathlib import Path

LEVEL = Path(__file__).resolve().parents[2] / "native" / "kernels" / "level"
INTRINSIC = re.compile(r"\b_mm\d*_\w+|\b__m(128|256)|\bv\w+_[usf](8|16|32|64)\b|intrin\.h|arm_neon\.h")


def test_only_one_file_has_intrinsics() -> None:
    found = [path.name for path in sorted(LEVEL.iterdir()) if INTRINSIC.search(path.read_text())]
    assert found == ["machine.h"]
