"""Functions and lines for places in a program's files, as addr2line or llvm-symbolizer finds them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

Frame = dict[str, Any]  # function, file and line, or library and offset
Place = tuple[str, int]  # library and offset

COMMANDS = (
    ("addr2line", "-a", "-f", "-i", "-C", "-e"),
    ("llvm-symbolizer", "--output-style=GNU", "-a", "-f", "-i", "-C", "-e"),
)
PATIENCE = 60  # seconds; a library of many megabytes takes several

_known: dict[Place, list[Frame]] = {}


def resolved(sites: Iterable[list[Frame]]) -> list[list[Frame]]:
    """The sites with functions and lines for frames that have only a library and an offset.

    A function that was inlined into another gives one frame more. What called ``main`` is left out.
    """
    all_sites = list(sites)
    _look_up({(frame["library"], frame["offset"]) for site in all_sites for frame in site if "library" in frame})
    return [_up_to_main(site) for site in all_sites]


def _up_to_main(site: list[Frame]) -> list[Frame]:
    kept: list[Frame] = []
    for frame in site:
        place = frame.get("library", ""), frame.get("offset", 0)
        kept += _known.get(place) or [frame]
        if "library" in frame and kept[-1].get("function") == "main":  # nothing is inlined into the callers of main
            break
    return kept


def _look_up(places: set[Place]) -> None:
    unknown: dict[str, list[int]] = defaultdict(list)
    for library, offset in sorted(places - _known.keys()):
        unknown[library].append(offset)
    for library, offsets in unknown.items():
        answers = _answers(library, offsets)
        _known.update({(library, offset): answers.get(offset, []) for offset in offsets})


def _answers(library: str, offsets: list[int]) -> dict[int, list[Frame]]:
    """The frames at each offset, as the first command that can say anything says."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # the program's
    for command in COMMANDS:
        if not os.path.exists(library) or shutil.which(command[0]) is None:
            continue
        words = [*command, library, *map(hex, offsets)]
        try:
            done = subprocess.run(words, env=environment, capture_output=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.stdout:
            return _parsed(done.stdout.decode(errors="replace").splitlines(), library)
    return {}


def _parsed(lines: list[str], library: str) -> dict[int, list[Frame]]:
    """An answer has each offset, and for each of its frames the function and the position."""
    answers: dict[int, list[Frame]] = {}
    offset = 0
    remaining = iter(lines)
    for line in remaining:
        if line.startswith("0x"):
            offset = int(line, 16)
            answers[offset] = []
            continue
        file, _, number = next(remaining, "").rpartition(":")
        if line.startswith("??"):
            continue
        digits = number.partition(" ")[0]  # "41 (discriminator 2)" is 41
        lined = {"file": file, "line": int(digits) if digits.isdecimal() else 0}
        where = lined if file and file != "??" else {"library": library, "offset": offset}
        answers.setdefault(offset, []).append({"function": name_in(line), **where})
    return answers


def name_in(signature: str) -> str:
    """``make<float>`` of ``int make<float>(long)``: the name is what a reader looks for."""
    begin, depth = 0, 0
    operators = signature.find("operator")
    for position, letter in enumerate(signature[: operators if operators >= 0 else None]):
        if letter == "(" and depth == 0 and not signature.startswith("(anonymous", position):
            return signature[begin:position]
        depth += (letter in "<({") - (letter in ">)}")
        if letter == " " and depth == 0:
            begin = position + 1
    return signature[begin:]
