import csv
import json
from pathlib import Path
from typing import Any

import pytest
from bench.docs_page import PARTS, markers, replace_parts
from bench.grid import Row, Upsample
from bench.report import markdown, summary
from bench.results import REGIMES, MemoryResult, OverheadResult, Report, RowResult, geometric_mean
from bench.rows_csv import RATIOS, csv_text

EXACT3D = "upsample_nearest_exact3d_backward"
ROW = Row(Upsample(EXACT3D, "float32", "large", 2.0), 2)  # goal: 6x | 5.5x, 95 %


SECONDS = {
    "reuse": 0.010,
    "allocate": 0.020,
    "limit": 0.0096,
    "torch_reuse": 0.070,
    "torch_allocate": 0.120,
    "in_place": 0.030,
    "torch_in_place": 0.150,
    "NumPy": 1.0,
}
REACHED = RowResult(ROW, SECONDS)


def changed(**seconds: float | None) -> RowResult:
    """The same row with other times; None: without them."""
    times = {**SECONDS, **seconds}
    return RowResult(ROW, {name: time for name, time in times.items() if time is not None})


WITHOUT_PYTORCH = changed(torch_reuse=None, torch_allocate=None, in_place=None, torch_in_place=None)


def test_ratios_and_share_of_the_limit() -> None:
    row = REACHED
    assert row.reuse_ratio == pytest.approx(7.0)
    assert row.allocate_ratio == pytest.approx(6.0)
    assert row.in_place_ratio == pytest.approx(5.0)
    assert row.percent == pytest.approx(96.0)
    assert row.missed == []


@pytest.mark.parametrize(
    ("times", "missed"),
    [
        ({"torch_reuse": 0.050}, ["reuse 5x of 6x"]),
        ({"torch_allocate": 0.100}, ["allocate 5x of 5.5x"]),
        ({"limit": 0.0090}, ["limit 90 % of 95 %"]),
        ({"torch_in_place": 0.029}, ["in place 0.967x of 1x"]),
        ({"torch_reuse": None, "torch_allocate": None}, []),
    ],
)
def test_a_missed_goal_names_the_distance(times: dict[str, Any], missed: list[str]) -> None:
    assert changed(**times).missed == missed


def test_geometric_mean() -> None:
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([]) is None


def report() -> Report:
    return Report(
        {"the CPU": "made up"},
        [REACHED, changed(torch_reuse=0.005)],
        [OverheadResult("exact3d tiny", 1e-6, 2e-6, 8e-6)],
        [MemoryResult("exact3d large", 300 << 20, 1 << 20, None)],
        ["a row: wrong"],
    )


def test_tables_hold_the_figures() -> None:
    text = markdown(report())
    assert "2 rows, 1 of them reach every part of their goal" in text
    assert "quiet: geometric mean **3.4x** (goal 6x), slowest 0.50x, fastest 7.0x, 1 of 4 ratios below 1" in text
    assert "in place: geometric mean **5.0x** (goal 4x), slowest 5.0x, fastest 5.0x, 0 of 2 ratios below 1" in text
    assert f"| {EXACT3D}, large | 3.4x | 0.50x | 5.0x | 5.0x | 1 of 2 |" in text
    assert "| 10.00 ms | 70.00 ms | 7.0x | 6.0x | 5.0x | 96 % | reached |" in text
    assert "reuse 0.5x of 6x" in text
    assert "1000.00 ms (50.0x)" in text
    assert "| exact3d tiny | 1.00 µs | 2.00 µs | 8.00 µs | 8.0x | 4.0x |" in text
    assert "| exact3d large | 300.0 MiB | 1.0 MiB | - |" in text
    assert "- a row: wrong" in text


def test_tables_without_pytorch() -> None:
    text = markdown(Report({"the CPU": "made up"}, [WITHOUT_PYTORCH]))
    assert "PyTorch is not installed" in text
    assert "| 10.00 ms | - | - | - | - | 96 % | not compared |" in text
    assert f"| {EXACT3D}, large | - | - | - | - | not compared |" in text


def test_json_holds_every_row() -> None:
    data = json.loads(json.dumps(report().as_json()))
    assert data["geometric_mean"]["quiet"] == pytest.approx((7 * 6 * 0.5 * 6) ** 0.25)
    assert data["geometric_mean"]["in-place"] == pytest.approx(5.0)
    assert [row["missed"] for row in data["rows"]] == [[], ["reuse 0.5x of 6x"]]
    assert data["rows"][0]["seconds"]["NumPy"] == 1.0


def test_csv_has_both_regimes() -> None:
    first, second, third = csv.DictReader(
        csv_text(Report({}, [REACHED, changed(in_place=None), WITHOUT_PYTORCH])).splitlines()
    )
    assert (first["operator"], first["size"], first["threads"]) == (EXACT3D, "large", "2")
    assert [float(first[name]) for name in RATIOS] == pytest.approx([7.0, 6.0, 5.0])
    assert (second["in_place"], second["goal"]) == ("", "reached")
    assert (third["output_reused"], third["goal"]) == ("", "not compared")


def test_a_row_knows_what_is_still_to_be_measured() -> None:
    assert REACHED.lacks(REGIMES) == []
    assert changed(in_place=None).lacks(REGIMES) == ["in-place"]
    assert RowResult(ROW, {}).lacks(["quiet"]) == ["quiet"]


def test_the_summary_has_a_line_for_each_operator_and_no_goals() -> None:
    text = summary(report())
    assert "2 rows. Against PyTorch" in text
    assert f"| {EXACT3D} | 3.4x | 0.50x | 5.0x | 5.0x |\n" in text
    assert "goal" not in text


@pytest.mark.parametrize("part", PARTS)
def test_docs_tables_are_replaced_between_the_markers(tmp_path: Path, part: str) -> None:
    page = tmp_path / "performance.md"
    begin, end = markers(part)
    page.write_text(f"before\n\n{begin}\nold\n{end}\n\nafter\n")
    for _ in range(2):  # writing twice changes nothing more
        replace_parts(page, {"summary": "| new summary |\n", "tables": "| new tables |\n"})
        assert page.read_text() == f"before\n\n{begin}\n\n| new {part} |\n\n{end}\n\nafter\n"


def test_docs_page_without_markers_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    begin, end = markers("tables")
    page.write_text(f"{end}\n{begin}\n")
    with pytest.raises(ValueError, match="no place for the tables"):
        replace_parts(page, {"tables": "new"})
    assert page.read_text() == f"{end}\n{begin}\n"


def test_the_documentation_has_a_place_for_both() -> None:
    docs = Path(__file__).parents[2] / "docs"
    places = {"summary": docs / "performance.md", "tables": docs / "performance-measured.md"}
    for part, page in places.items():
        assert all(marker in page.read_text(encoding="utf-8") for marker in markers(part))
