"""The tests themselves: what they cost to collect, and that each belongs to a tier with a budget."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.budget import BUDGETS, TIERS, tier_of

ROOT = Path(__file__).parents[2]
HEAVY = ("torch", "jax", "dask", "distributed")

COLLECT = f"""
import pytest, sys
class Loaded:
    def pytest_collection_finish(self, session):
        print("collected", len(session.items), *(set({HEAVY!r}) & set(sys.modules)))
pytest.main(["--collect-only", "-p", "no:cacheprovider", "-qq", "tests"], plugins=[Loaded()])
"""


def test_collecting_imports_no_framework() -> None:
    """Every worker collects every test."""
    done = subprocess.run([sys.executable, "-c", COLLECT], cwd=ROOT, capture_output=True, text=True)
    collected = [line for line in done.stdout.splitlines() if line.startswith("collected")]
    assert len(collected) == 1, done.stdout[-2000:] + done.stderr
    _, count, *loaded = collected[0].split()
    assert int(count) > 1000
    assert not loaded


def test_every_folder_of_tests_belongs_to_a_tier() -> None:
    folders = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")} - {"tests"}
    assert folders <= {place for places in TIERS.values() for place in places}
    assert BUDGETS.keys() == TIERS.keys()
    assert tier_of("tests/test_cli.py") == "tools"
    assert tier_of("tests/test_rules.py") == "contract"
