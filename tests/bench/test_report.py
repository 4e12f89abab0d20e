import csv
import json
from pathlib import Path
from typing import Any

import pytest
from bench.cases import Row
from bench.docs_page import PARTS, markers, replace_parts
from bench.grid import upsampling
from bench.report import markdown, summary
from bench.results import REGIMES, MemoryResult, OverheadResult, Report, RowResult, geometric_mean
from bench.rows_csv import RATIOS, csv_text

from acltwin.ops import OPERATORS

EXACT3D = "upsample_nearest_exact3d_backward"
ROW = Row(upsampling(OPERATORS[EXACT3D], "float32", "large", 2.0), 2)


SECONDS = {
    "reuse": 0.010,
    "allocate": 0.020,
    "torch_reuse": 0.070,
    "torch_allocate": 0.120,
    "in_place": 0.030,
    "torch_in_place": 0.150,
    "numpy": 1.0,
    "onednn": 0.005,
}
REACHED = RowResult(ROW, SECONDS)


def changed(**seconds: float | None) -> RowResult:
    """The same row with other times; None: without them."""
    times = {**SECONDS, **seconds}
    return RowResult(ROW, {name: time for name, time in times.items() if time is not None})


WITHOUT_PYTORCH = changed(torch_reuse=None, torch_allocate=None, in_place=None, torch_in_place=None)


def test_ratios() -> None:
    row = REACHED
    assert row.reuse_ratio == pytest.approx(7.0)
    assert row.allocate_ratio == pytest.approx(6.0)
    assert row.in_place_ratio == pytest.approx(5.0)
    assert row.ratio("quiet") == pytest.approx(42**0.5)
    assert row.ratio("in-place") == row.in_place_ratio
    assert row.peer_ratio("numpy") == pytest.approx(50)
    assert row.peer_ratio("onednn") == pytest.approx(0.5)
    assert row.peer_ratio("jax") is None
    assert row.loses == []


@pytest.mark.parametrize(
    ("times", "lost"),
    [
        ({"torch_reuse": 0.0015}, ["quiet"]),
        ({"torch_in_place": 0.029}, ["in-place"]),
        ({"torch_reuse": None, "torch_allocate": None}, []),
    ],
)
def test_a_row_loses_in_a_regime(times: dict[str, Any], lost: list[str]) -> None:
    assert changed(**times).loses == lost


def test_geometric_mean() -> None:
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([]) is None


def report() -> Report:
    return Report(
        {"the CPU": "made up"},
        "made up rows",
        [REACHED, changed(torch_reuse=0.005, torch_in_place=0.029)],
        [OverheadResult("exact3d tiny", 1e-6, 2e-6, 8e-6)],
        [MemoryResult("exact3d large", 300 << 20, 1 << 20, None)],
        ["a row: wrong"],
    )


def test_tables_hold_the_figures() -> None:
    text = markdown(report())
    assert "made up rows. Measured with the CPU made up" in text
    assert "quiet: geometric mean **3.4x**, slowest 1.73x, fastest 6.5x, 0 of 2 rows (0.0%) slower" in text
    assert "in place: geometric mean **2.2x**, slowest 0.97x, fastest 5.0x, 1 of 2 rows (50.0%) slower" in text
    assert f"| {EXACT3D} | 2 | 3.4x | 1.73x | 0 | 2.2x | 0.97x | 1 |" in text
    assert f"| {ROW.label} | 1.73x | 0.97x |" in text
    assert f"| {ROW.label} | 6.5x | 0.50x | 50.0x |" in text
    assert "| exact3d tiny | 1.00 µs | 2.00 µs | 8.00 µs | 8.0x | 4.0x |" in text
    assert "| exact3d large | 300.0 MiB | 1.0 MiB | - |" in text
    assert "- a row: wrong" in text


def test_regions_with_few_rows_are_left_out() -> None:
    text = markdown(Report({}, "", [REACHED] * 4))
    assert "Where it is least" not in text
    assert f"| {EXACT3D}, contiguous, float32 | 5 |" in markdown(Report({}, "", [REACHED] * 5))


def test_tables_without_pytorch() -> None:
    text = markdown(Report({"the CPU": "made up"}, "", [WITHOUT_PYTORCH]))
    assert "PyTorch is not installed" in text
    assert f"| {EXACT3D} | 1 | - | - | - | - | - | - |" in text


def test_json_holds_every_row() -> None:
    data = json.loads(json.dumps(report().as_json()))
    assert data["rows"][0] == {"row": ROW.label, "seconds": SECONDS}
    assert data["selected"] == "made up rows"


def test_csv_has_both_regimes_and_the_peers() -> None:
    rows = [REACHED, changed(in_place=None), WITHOUT_PYTORCH]
    first, second, third = csv.DictReader(csv_text(Report({}, "", rows)).splitlines())
    assert (first["operator"], first["dtype"], first["size"], first["threads"]) == (EXACT3D, "float32", "large", "2")
    assert [float(first[name]) for name in RATIOS] == pytest.approx([7.0, 6.0, 5.0])
    assert (first["numpy"], first["jax"]) == ("50.000", "")
    assert second["in_place"] == third["output_reused"] == ""


def test_a_row_knows_what_is_still_to_be_measured() -> None:
    assert REACHED.lacks(REGIMES) == []
    assert changed(in_place=None).lacks(REGIMES) == ["in-place"]
    assert RowResult(ROW, {}).lacks(["quiet"]) == ["quiet"]


def test_the_summary_has_a_line_for_each_operator() -> None:
    text = summary(report())
    assert "2 rows. Against PyTorch" in text
    assert f"| {EXACT3D} | 2 | 3.4x | 1.73x | 0 | 2.2x | 0.97x | 1 |\n" in text
    assert "tiny" not in text


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
    places = {"summary": docs / "performance.md", "tables": docs / "development" / "measured.md"}
    for part, page in places.items():
        assert all(marker in page.read_text(encoding="utf-8") for marker in markers(part))
