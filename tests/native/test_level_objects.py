"""No code compiled for one instruction set may be taken for another's.

The kernels are compiled once per level. A function that the compiler emits out of line as a weak symbol exists once per
level, and the linker keeps any of them: if its name does not tell the level, an old CPU may run the newest one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from native_tests import pip_build_folder  # noqa: E402

WEAK = {"W", "V", "u"}  # defined here, and replaceable by another object's
HARMLESS = {"DW.ref.__gxx_personality_v0"}  # an address, no code


def level_objects() -> list[tuple[str, Path]]:
    """(level, object file) of every kernel source, from the build that was installed."""
    found = []
    for folder in sorted((pip_build_folder() / "CMakeFiles").glob("kernels_*.dir")):
        for source in sorted((ROOT / "native" / "kernels" / "level").glob("*.cpp")):
            found.append((folder.stem.removeprefix("kernels_"), folder / f"{source.relative_to(ROOT)}.o"))
    return found


OBJECTS = level_objects()


def test_there_are_objects_to_look_at() -> None:
    assert OBJECTS, f"nothing is built below {pip_build_folder()}; run tools/native_tests.py first"


@pytest.mark.parametrize(("level", "path"), OBJECTS, ids=[f"{level}-{path.name}" for level, path in OBJECTS])
def test_every_weak_symbol_names_its_level(level: str, path: Path) -> None:
    listing = subprocess.run(["nm", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    weak = [name for kind, name in (line.split()[-2:] for line in listing.splitlines()) if kind in WEAK]
    namespace = f"7acltwin{len(level)}{level}"
    shared = [name for name in weak if namespace not in name and name not in HARMLESS]
    assert not shared, f"{path.name} for {level} shares with other levels: {shared}"
