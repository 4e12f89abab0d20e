import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench.docs_page import BEGIN, END, replace_tables
from bench.grid import EXACT3D, Row, Upsample
from bench.report import markdown
from bench.results import MemoryResult, OverheadResult, Report, RowResult, geometric_mean

ROW = Row(Upsample(EXACT3D, "float32", "large", 2.0), 2)  # goal: 6x | 5.5x, 95 %


REACHED = RowResult(ROW, 0.010, 0.020, 0.0096, 0.070, 0.120, {"NumPy": 1.0})


def test_ratios_and_share_of_the_limit() -> None:
    row = REACHED
    assert row.reuse_ratio == pytest.approx(7.0)
    assert row.allocate_ratio == pytest.approx(6.0)
    assert row.percent == pytest.approx(96.0)
    assert row.missed == []


@pytest.mark.parametrize(
    ("times", "missed"),
    [
        ({"torch_reuse": 0.050}, ["reuse 5x of 6x"]),
        ({"torch_allocate": 0.100}, ["allocate 5x of 5.5x"]),
        ({"limit": 0.0090}, ["limit 90 % of 95 %"]),
        ({"torch_reuse": None, "torch_allocate": None}, []),
    ],
)
def test_a_missed_goal_names_the_distance(times: dict[str, Any], missed: list[str]) -> None:
    assert replace(REACHED, **times).missed == missed


def test_geometric_mean() -> None:
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([]) is None


def report() -> Report:
    return Report(
        {"the CPU": "made up"},
        [REACHED, replace(REACHED, torch_reuse=0.005)],
        [OverheadResult("exact3d tiny", 1e-6, 2e-6, 8e-6)],
        [MemoryResult("exact3d large", 300 << 20, 1 << 20, None)],
        ["a row: wrong"],
    )


def test_tables_hold_the_figures() -> None:
    text = markdown(report())
    assert "2 rows, 1 of them reach every part of their goal" in text
    assert "1 of 4 ratios below 1" in text
    assert f"| {EXACT3D}, large | 3.4x | 0.50x | 1 of 2 |" in text
    assert "| 10.00 ms | 70.00 ms | 7.0x | 6.0x | 96 % | reached |" in text
    assert "reuse 0.5x of 6x" in text
    assert "1000.00 ms (50.0x)" in text
    assert "| exact3d tiny | 1.00 µs | 2.00 µs | 8.00 µs | 8.0x | 4.0x |" in text
    assert "| exact3d large | 300.0 MiB | 1.0 MiB | - |" in text
    assert "- a row: wrong" in text


def test_tables_without_pytorch() -> None:
    text = markdown(Report({"the CPU": "made up"}, [replace(REACHED, torch_reuse=None, torch_allocate=None)]))
    assert "PyTorch is not installed" in text
    assert "| 10.00 ms | - | - | - | 96 % | reached |" in text


def test_json_holds_every_row() -> None:
    data = json.loads(json.dumps(report().as_json()))
    assert data["geometric_mean"] == pytest.approx((7 * 6 * 0.5 * 6) ** 0.25)
    assert [row["missed"] for row in data["rows"]] == [[], ["reuse 0.5x of 6x"]]
    assert data["rows"][0]["seconds"]["NumPy"] == 1.0


def test_docs_tables_are_replaced_between_the_markers(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n")
    for _ in range(2):  # writing twice changes nothing more
        replace_tables(page, "| new |\n")
        assert page.read_text() == f"before\n\n{BEGIN}\n\n| new |\n\n{END}\n\nafter\n"


def test_docs_page_without_markers_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"{END}\n{BEGIN}\n")
    with pytest.raises(ValueError, match="no place for the tables"):
        replace_tables(page, "new")
    assert page.read_text() == f"{END}\n{BEGIN}\n"
