"""What kind of operator it is, its declaration says: nobody may guess it from the name.

A guess holds until an operator comes whose name is built otherwise, and then fails far away from here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "tools", "docs", "examples")
PART = r"_?(?:2d|3d|backward|exact|nearest|upsample|max|max_pool|max_unpool|pool|unpool)_?"
GUESS = re.compile(
    rf"""["']{PART}["']\ (?:not\ )?in\ (?!\()              # "2d" in name
    | \.(?:starts|ends)with\(["']{PART}["']               # name.endswith("_backward")
    | \.remove(?:prefix|suffix)\(["']{PART}["']
    | [=!]=\ ["'](?:upsample_nearest|max_(?:un)?pool)\w*  # name == "max_unpool3d"
    | \bscales\ [=!]=\ \d""",
    re.VERBOSE,
)
SOURCES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")) if path != Path(__file__)]


def test_kinds_are_not_guessed_from_names() -> None:
    guesses = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in SOURCES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if GUESS.search(line)
    ]
    advice = "ask the operator's SPEC (family, partner, is_gradient, axes, mode, Argument.holds), or declare it there"
    assert not guesses, "\n".join([*guesses, advice])


@pytest.mark.parametrize(
    "line",
    [
        'axes = 2 if "2d" in name else 3',
        'if "exact" not in operator:',
        'if name.startswith("upsample"):',
        'forward = name.removesuffix("_backward")',
        'place = 1 if name == "max_unpool3d" else 2',
        "is_2d = op.scales == 2",
    ],
)
def test_a_guess_is_seen(line: str) -> None:
    assert GUESS.search(line)
