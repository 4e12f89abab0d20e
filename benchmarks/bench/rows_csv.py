"""Every row of a report as a line of numbers, for spreadsheets and for the picture of the documentation."""

from __future__ import annotations

import csv
import io

from bench.results import PEERS, Report

RATIOS = ("output_reused", "both_allocate", "in_place")
"""Columns with times PyTorch: two of the quiet regime, one in place."""
COLUMNS = ("operator", "dtype", "layout", "size", "threads", "row", "acltwin_us", "pytorch_us", *RATIOS, *PEERS)


def csv_text(report: Report) -> str:
    """Microseconds are those with the output reused. What was not measured or compared is empty."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for result in report.rows:
        case = result.row.case
        times = [_number(result.seconds.get(name), 1e6, 2) for name in ("reuse", "torch_reuse")]
        ratios = (result.reuse_ratio, result.allocate_ratio, result.in_place_ratio, *map(result.peer_ratio, PEERS))
        figures = (*times, *(_number(ratio, 1, 3) for ratio in ratios))
        facts = (case.operator, case.dtype, case.layout, case.size, result.row.threads)
        lines.writerow((*facts, case.label.removeprefix(case.operator).strip(), *figures))
    return text.getvalue()


def _number(value: float | None, unit: float, digits: int) -> str:
    return "" if value is None else f"{value * unit:.{digits}f}"
