"""The report of a run: what it says, what it weighs, and how a browser shows it."""

from __future__ import annotations

import hashlib
import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.cli import main
from acltwin.golden.report.pictures import error_bars, source_map
from acltwin.golden.run.run import Run
from acltwin.golden.run.targets import CommandTarget

OPERATOR = "upsample_nearest_exact3d_backward"
CHROMIUM = shutil.which("chromium")
WIDTHS = (360, 390, 1280)


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


@pytest.fixture(scope="module")
def failing_html(failing: Run, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("failing") / "report.html"
    failing.to_html(path)
    return path.read_text()


def written(run: Run, path: Path) -> Page:
    run.to_html(path)
    return Page(path.read_text())


def test_verdict_and_cause_come_first(failing_html: str) -> None:
    page = Page(failing_html)
    first_screen = page.words[:800]
    assert "failed" in first_screen
    assert "nearest and nearest-exact are confused" in first_screen
    for wanted in (
        "Repeat it",
        f"'{OPERATOR}'",
        "Which cells flow where",
        "expected",
        "found",
        "extra",
        "explained by",
    ):
        assert wanted in page.words
    assert page.words.count("float32/coded") >= 2


def test_nothing_is_loaded_from_elsewhere(failing_html: str) -> None:
    page = Page(failing_html)
    assert page.loaded
    assert all(url.startswith("data:image/png;base64,") for url in page.loaded)
    assert "://" not in failing_html


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


def test_the_code_that_repeats_a_run_is_exact(tmp_path: Path) -> None:
    """It is run as it stands, and comes to the same verdicts."""
    options: dict[str, Any] = {"level": "quick", "dtypes": ("float16",), "seed": 3, "rule": "mixed@ttk"}
    run = golden.verify(acltwin.max_unpool3d, "max_unpool3d", only="smaller/", **options, explain_seconds=0)
    assert "Repeat it" in written(run, tmp_path / "report.html").words
    *lines, last = run.repetition.whole.splitlines()
    names: dict[str, Any] = {}
    exec("\n".join([*lines, f"again = {last}"]), names)
    assert [record.verdict for record in names["again"].records] == [record.verdict for record in run.records]
    chosen = [record.case for record in run.records][1:]
    part = golden.verify(acltwin.max_unpool3d, chosen, explain_seconds=0)
    *lines, last = part.repetition.whole.splitlines()
    exec("\n".join([*lines, f"again = {last}"]), names)
    assert [record.case for record in names["again"].records] == chosen


def test_functions_without_a_name_are_left_to_the_reader() -> None:
    cases = golden.cases("max_unpool3d", level="quick")[:1]
    run = golden.verify(lambda **given: 0, cases, call=lambda kernel, case: kernel(), isolate=False)
    lines = run.repetition.whole.splitlines()
    assert lines[1].startswith("# kernel is ")
    assert lines[-1] == "golden.verify(kernel, cases, call=..., isolate=False)"


def test_notes_and_warnings_are_shown(passing: Run, tmp_path: Path) -> None:
    first, *others = passing.records
    verdict = replace(first.verdict, notes=("workspace: 0 and 1024 bytes",), warnings=("not deterministic",))
    page = written(replace(passing, records=[replace(first, verdict=verdict), *others]), tmp_path / "report.html")
    assert "note: workspace: 0 and 1024 bytes (in 1 case)" in page.words
    assert "not deterministic" in page.words


def test_errors_are_counted_in_units_of_the_bound_too() -> None:
    expected, bound = np.array([8.0, 8.0, 8.0, 8.0]), np.array([2.0**-3, 2.0**-3, 0.0, 2.0**-3])
    found = np.array([8.25, 40.0, 9.0, np.nan], np.float16)
    by_ulp, by_bound = error_bars(found, expected, bound, np.ones(4, bool))
    assert [row for row in by_ulp if row[1]] == [("up to 256", 2), ("up to 65536", 1), ("NaN or infinite", 1)]
    wanted = [("up to 2", 1), ("up to 256", 1), ("E is 0: only one value is right", 1), ("NaN or infinite", 1)]
    assert [row for row in by_bound if row[1]] == wanted


def test_a_record_becomes_a_report_elsewhere(
    failing: Run, failing_html: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing.save(tmp_path / "run.json")
    assert main(["report", str(tmp_path / "run.json"), "-o", str(tmp_path / "deep" / "late.html")]) == 0
    assert "report of 40 cases" in capsys.readouterr().out
    assert (tmp_path / "deep" / "late.html").read_text() == failing_html
    assert main(["report", str(tmp_path / "deep" / "late.html"), "-o", str(tmp_path / "no.html")]) == 2
    assert "is not a run that can be read" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "run.json"), "-o", str(tmp_path)]) == 2


def test_a_score_adds_what_the_cases_cannot_see(
    passing: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passing.save(tmp_path / "run.json")
    score = golden.score(golden.cases("max_unpool3d_backward", level="quick")[:1], advise=False)
    assert score.survivors
    (tmp_path / "score.json").write_text(json.dumps(score.to_json()))
    words = ["report", str(tmp_path / "run.json"), "-o", str(tmp_path / "report.html"), "--score"]
    assert main([*words, str(tmp_path / "score.json")]) == 0
    page = Page((tmp_path / "report.html").read_text())
    assert "What these cases cannot see" in page.words
    assert all(survivor.sentence in page.words for survivor in score.survivors)
    assert main([*words, str(tmp_path / "run.json")]) == 2
    assert "is not a score that can be read" in capsys.readouterr().err


def test_a_report_does_without_data_that_came_from_a_file(tmp_path: Path) -> None:
    grad = np.ones((1, 1, 2, 4), np.float32)
    arguments = {"output_size": (2, 4), "input_size": (1, 1, 1, 2)}
    case = golden.Case.of("upsample_nearest_exact2d_backward", {"grad_output": grad}, arguments, name="theirs")
    run = golden.verify(lambda *a, **k: np.zeros((1, 1, 1, 2), np.float32), [case], explain_seconds=0)
    assert not run.passed
    run.save(tmp_path / "run.json")
    page = written(Run.load(tmp_path / "run.json"), tmp_path / "report.html")
    assert "No pictures: its data came from a file" in page.words
    assert "(0,0,0,0)" in page.words


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_a_browser_shows_it_without_sideways_scrolling(failing: Run, passing: Run, tmp_path: Path) -> None:
    """Both in frames of both widths, in one browser: its window may refuse to be so narrow."""
    frames = []
    for name, run in (("failing", failing), ("passing", passing)):
        run.to_html(tmp_path / f"{name}.html")
        unseen = "[...document.images].filter((image) => image.naturalWidth === 0).length"
        measured = f"[document.documentElement.scrollWidth, innerWidth, document.images.length, {unseen}]"
        asked = f"<script>onload = () => parent.postMessage(['{name}', {measured}], '*')</script></body>"
        text = (tmp_path / f"{name}.html").read_text()
        text = re.sub(
            r'<meta http-equiv="Content-Security-Policy".*?>', "", text
        )  # which would stop the question below
        (tmp_path / f"{name}.html").write_text(text.replace("</body>", asked))
        frames += [f"<iframe src='{name}.html' style='width:{width}px;height:900px'></iframe>" for width in WIDTHS]
    answer = (
        "<script>const all = []; onmessage = (e) => { all.push(e.data); document.title = JSON.stringify(all) }</script>"
    )
    style = "<style>iframe {border: 0}</style>"
    (tmp_path / "frames.html").write_text(f"<!DOCTYPE html><title>nothing</title>{style}{answer}{''.join(frames)}")
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    words += ["--no-first-run", "--disable-sync", "--disable-component-update", f"--user-data-dir={tmp_path / 'user'}"]
    words += ["--window-size=1400,900", "--virtual-time-budget=3000", "--dump-dom", (tmp_path / "frames.html").as_uri()]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
    title = re.search(r"<title>(\[.*\])</title>", done.stdout)
    assert title is not None, done.stderr[-2000:]
    shown = json.loads(html.unescape(title[1]))
    assert sorted((name, window) for name, (_, window, _, _) in shown) == sorted(
        product(("failing", "passing"), WIDTHS)
    )
    for name, (content, window, images, broken) in shown:
        assert content <= window, name
        assert images >= (4 if name == "failing" else 0)
        assert broken == 0


def ones_between(*given: Any, **named: Any) -> Any:
    """Unpools, and forgets to clear the rest."""
    result = acltwin.max_unpool3d(*given, **named)
    result[result == 0] = 1
    return result


def test_zero_has_no_last_place(tmp_path: Path) -> None:
    """An error beside an expected 0 is counted apart and has no ulp, neither in the page nor in the text."""
    found, expected = np.array([1.0, 3.0, 2.0], np.float32), np.array([0.0, 2.0, 0.0])
    by_ulp, _ = error_bars(found, expected, np.zeros(3), np.ones(3, bool))
    assert dict(by_ulp)["expected 0"] == 2
    run = golden.verify(ones_between, "max_unpool3d", level="quick", dtypes=("float32",), explain_seconds=0)
    assert not run.passed
    assert "largest error 1" in run.text()
    assert "ulp" not in run.text()
    assert "\u2013" in written(run, tmp_path / "report.html").words


def test_the_page_names_the_day_and_the_version_of_the_kernel(failing: Run, failing_html: str) -> None:
    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    assert failing.environment["kernel"].endswith(f"test_report.py ({digest})")
    assert f"({digest})" in failing_html
    assert failing.environment["date"][:2] == "20"


def test_a_program_is_named_without_its_places(tmp_path: Path) -> None:
    target = CommandTarget(f"{tmp_path}/kernel --fast {{inputs}} {{output}}")
    (tmp_path / "kernel").touch()
    assert target.name == f"{tmp_path}/kernel --fast"
    assert [path for path in target.files() if path.is_file()] == [tmp_path / "kernel"]
