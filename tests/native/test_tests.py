"""The tests themselves: what they cost to collect, and that each belongs to a tier with a budget."""

from __future__ import annotations

from pathlib import Path

from support.budget import BUDGETS, LONGEST, TIERS, tier_of

ROOT = Path(__file__).parents[2]


def test_collecting_loads_no_framework(loaded_by_collection: set[str]) -> None:
    """Every worker collects every test, those of a framework's files among them: support/lazy.py is for these."""
    assert not loaded_by_collection


def test_every_folder_of_tests_belongs_to_a_tier() -> None:
    folders = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")} - {"tests"}
    assert folders <= {place for places in TIERS.values() for place in places}
    assert BUDGETS.keys() == TIERS.keys()
    assert tier_of("tests/test_cli.py") == "tools"
    assert tier_of("tests/test_rules.py") == "contract"


def test_the_longest_files_are_there() -> None:
    assert [name for name in LONGEST if not (ROOT / name).exists()] == []
