"""The report of a run: what it says, what it weighs, and how a browser shows it."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.report.pictures import source_map
from acltwin.golden.run import Run

OPERATOR = "upsample_nearest_exact3d_backward"
CHROMIUM = shutil.which("chromium")


def plain_nearest(grad_out: Any, output_size: Any, input_size: Any, *scales: float, **options: Any) -> Any:
    """The classic mistake: the operator without "exact"."""
    return acltwin.upsample_nearest3d_backward(grad_out, output_size, input_size, *scales, **options)


@pytest.fixture(scope="module")
def failing() -> Run:
    return golden.verify(plain_nearest, OPERATOR, level="quick")


@pytest.fixture(scope="module")
def passing() -> Run:
    return golden.verify(acltwin.max_unpool3d_backward, "max_unpool3d_backward", level="quick")


class Page(HTMLParser):
    """Tags that are closed in order, texts, and everything that is loaded."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.words = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value for name, value in attrs if name in ("src", "href") and value]
        if tag not in ("meta", "img", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.words += data + " "


def written(run: Run, path: Path) -> Page:
    run.to_html(path)
    return Page(path.read_text())


def test_verdict_and_cause_come_first(failing: Run, tmp_path: Path) -> None:
    page = written(failing, tmp_path / "report.html")
    first_screen = page.words[:800]
    assert "failed" in first_screen
    assert "nearest and nearest-exact are confused" in first_screen
    for wanted in ("Repeat it", f'"{OPERATOR}"', "Which cells flow where", "expected", "found", "difference", "extra"):
        assert wanted in page.words
    assert page.words.count("float32/coded") >= 2


def test_nothing_is_loaded_from_elsewhere(failing: Run, tmp_path: Path) -> None:
    page = written(failing, tmp_path / "report.html")
    assert page.loaded
    assert all(url.startswith("data:image/png;base64,") for url in page.loaded)
    assert "http" not in (tmp_path / "report.html").read_text()


def test_a_passing_run_says_so(passing: Run, tmp_path: Path) -> None:
    page = written(passing, tmp_path / "report.html")
    assert "passed" in page.words[:200]
    assert "Failing cases" not in page.words


def test_names_from_outside_are_only_text(passing: Run, tmp_path: Path) -> None:
    page = written(replace(passing, target="<script>alert(1)</script>"), tmp_path / "report.html")
    assert "<script>alert(1)</script>" in page.words


def test_a_thousand_cases_stay_below_five_megabytes(failing: Run, tmp_path: Path) -> None:
    records = [
        replace(record, case=replace(record.case, name=f"{number}/{record.case.name}"))
        for number in range(25)
        for record in failing.records
    ]
    assert len(records) == 1000
    assert len([record for record in records if not record.verdict.passed]) >= 100
    written(replace(failing, records=records), tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 5_000_000


def test_the_map_counts_lost_and_extra_sources() -> None:
    documented = np.zeros((1, 4, 1, 1, 3))
    documented[0, [0, 1, 2, 3], 0, 0, [0, 0, 1, 2]] = 1
    observed = documented.copy()
    observed[0, 1, 0, 0] = (0, 1, 0)
    drawn = source_map(documented, observed)
    assert (drawn.sources, drawn.cells, drawn.lost, drawn.extra) == (4, 3, 1, 1)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("which", ["failing", "passing"])
def test_a_browser_shows_it_without_sideways_scrolling(
    which: str, width: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    run: Run = request.getfixturevalue(which)
    path = tmp_path / "report.html"
    run.to_html(path)
    measure = "document.title = [document.documentElement.scrollWidth, innerWidth, document.images.length].join()"
    broken = "[...document.images].filter((image) => image.naturalWidth === 0).length"
    text = path.read_text().replace("</body>", f"<script>{measure} + ',' + {broken}</script></body>")
    path.write_text(text)
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    words += ["--no-first-run", "--disable-sync", "--disable-component-update", f"--user-data-dir={tmp_path / 'user'}"]
    words += [f"--window-size={width},900", "--virtual-time-budget=3000", "--dump-dom", path.as_uri()]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
    title = re.search(r"<title>(\d+),(\d+),(\d+),(\d+)</title>", done.stdout)
    assert title is not None, done.stderr[-2000:]
    content, window, images, unseen = map(int, title.groups())
    assert content <= window
    assert images >= (4 if which == "failing" else 0)
    assert unseen == 0
