"""The folders of the native code are rooms on floors: a file includes its own room and floors below, nothing else."""

from __future__ import annotations

import re
from pathlib import Path

NATIVE = Path(__file__).parents[2] / "native"
FLOORS = {"core": 0, "kernels": 1, "ops": 2, "runtime": 3, "python": 3, "aclnn": 4}
SOURCES = sorted(path for room in FLOORS for path in (NATIVE / room).rglob("*.*") if path.suffix in (".h", ".cpp"))


def rooms_included(source: Path) -> set[str]:
    included = re.findall(r'^#include "([^"]+)"', source.read_text(), re.MULTILINE)
    inside = (path for path in included if (NATIVE / path).exists())  # the public headers are everybody's
    return {path.split("/")[0] for path in inside}


def test_every_room_is_known() -> None:
    rooms = {path.name for path in NATIVE.iterdir() if path.is_dir()}
    assert rooms == {*FLOORS, "include", "tests"}


def test_a_file_includes_no_room_beside_or_above_its_own() -> None:
    wrong = {}
    for source in SOURCES:
        name = source.relative_to(NATIVE)
        floor = FLOORS[name.parts[0]]
        above = {other for other in rooms_included(source) - {name.parts[0]} if FLOORS[other] >= floor}
        if above:
            wrong[str(name)] = above
    assert not wrong


def test_no_header_includes_itself_by_a_detour() -> None:
    includes = {
        path.relative_to(NATIVE).as_posix(): re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
        for path in SOURCES
    }

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join((*way, name))
        for other in includes.get(name, ()):
            visit(other, (*way, name))

    for name in includes:
        visit(name, ())
