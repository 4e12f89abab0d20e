"""The report of a run: one HTML file that needs no network, readable on a phone, in light and dark, and on paper.

``to_html(run, path)`` is the whole of it. Verdict and cause come first, then how to repeat the run, then every failing
case with its pictures, then the table of all cases, and what they cannot see, if their score is known. No script is
needed to read it; a short one adds sorting and the slider over slices.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from acltwin._writing import write_text
from acltwin.golden.report.page import page

if TYPE_CHECKING:
    from acltwin.golden.run.run import Run
    from acltwin.golden.wrong.score import Score


def to_html(run: Run, path: Path, score: Score | None = None) -> None:
    write_text(path, page(run, score))
