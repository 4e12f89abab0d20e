"""Every switch of the kernels has rows that show what it earns, and every row a switch."""

from __future__ import annotations

import re
from pathlib import Path

import ablation

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "native" / "kernels"


def switches() -> set[str]:
    sources = (path.read_text(encoding="utf-8") for path in KERNELS.rglob("*.cpp"))
    return {name for source in sources for name in re.findall(r'ablated\("([^"]+)"\)', source)}


def test_every_switch_is_measured_and_every_measured_name_is_a_switch() -> None:
    measured = [specialisation.name for specialisation in ablation.specialisations()]
    assert sorted(measured) == sorted(switches())


def test_every_specialisation_has_rows() -> None:
    assert all(specialisation.rows for specialisation in ablation.specialisations())


def test_the_table_has_a_line_for_each() -> None:
    first, second, *_ = ablation.specialisations()
    gains = [ablation.Gain(s, row, {1: 2.0, 2: 0.5}) for s in (first, second) for row in s.rows]
    lines = ablation.table(gains).splitlines()
    assert lines[2:] == [
        f"| {s.name} | {s.lines} | {len(s.rows)} | 2.00 (2.00 to 2.00) | 0.50 (0.50 to 0.50) |" for s in (first, second)
    ]


def test_the_page_for_developers_has_every_switch() -> None:
    page = (ROOT / "docs" / "development" / "ablation.md").read_text(encoding="utf-8")
    assert not [name for name in switches() if f"| {name} |" not in page]
