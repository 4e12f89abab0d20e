"""Records, scores, manifests, vendors' files and arrays from elsewhere: success or one sentence, in bounded time."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

import acltwin
from acltwin import golden
from acltwin.cli import main
from acltwin.golden.files.describe import case_from_json, case_to_json
from acltwin.golden.run.run import Run
from support import registry
from support.mutations import SCRIPT
from support.thorough import THOROUGH
from support.untrusted import Page, outcome, subjects

SEED = 20
RUNS = 200 if THOROUGH else 3
OPERATOR = "upsample_nearest_exact3d_backward"


def test_files_with_something_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    complaints = []
    for subject in subjects(tmp_path):
        assert outcome(subject, None) in ("status 0", "status 1", "status 4"), f"{subject.name}, unchanged"
        for _ in range(RUNS):
            ending = outcome(subject, chance)
            if not ending.startswith("status "):
                complaints.append(f"{subject.name}: {ending}")
    assert not complaints


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    def wrong(grad_out: Any, output_size: Any, input_size: Any, *scales: float, **options: Any) -> Any:
        return acltwin.upsample_nearest3d_backward(grad_out, output_size, input_size, *scales, **options)

    made = golden.verify(wrong, OPERATOR, level="quick", only="frac-up/float16/coded").to_json()
    assert made["causes"]
    assert made["impulses"]
    return made


def texts(holder: Any) -> list[tuple[Any, Any]]:
    """Where a document has text."""
    items = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
    found = []
    for key, value in items:
        found += [(holder, key)] if isinstance(value, str) else texts(value)
    return found


def test_no_text_of_a_record_becomes_markup(record: dict[str, Any], tmp_path: Path) -> None:
    """Each of them in turn: most are refused, the rest is shown as it is."""
    shown = 0
    for number in range(len(texts(record))):
        changed = copy.deepcopy(record)
        holder, key = texts(changed)[number]
        holder[key] = f"'\"></p>{SCRIPT}<img src=x onerror=alert(1)>"
        (tmp_path / "run.json").write_text(json.dumps(changed))
        if main(["report", str(tmp_path / "run.json"), "-o", str(tmp_path / "report.html")]) == 0:
            shown += 1
            page = Page((tmp_path / "report.html").read_text())
            assert page.complaint == ""
    assert shown > 10


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("records", 0, "verdict", "status"), SCRIPT, "status is '<script>.*'; expected one of passed, failed, error"),
        (
            ("records", 0, "verdict", "worst", 0, "index"),
            [SCRIPT],
            r"index \[0\] is '<script>.*; expected a whole number",
        ),
        (("records", 0, "case", "geometry", "spans"), [2**31 - 1] * 3, "geometry is .*; expected .* by its own sizes"),
        (("records", 0, "case", "geometry", "spans"), [2**31] * 3, r"spans \[0\] is 2147483648; expected at least 1"),
        (("records", 0, "case", "geometry", "source"), [2**31 - 1] * 3, ""),
        (("records", 0, "output", 0, "shape"), [2**40], "expected at most 2097152 bytes of output"),
        (("records", 0, "output", 0, "zlib"), "AAAA", "cannot be unpacked"),
        (("records", 0, "case", "operator"), "os.system", "is of an unknown operator, 'os.system'"),
        (("records", 0, "verdict", "options", "ftz"), "yes", "ftz is 'yes'; expected true or false"),
        (("causes", OPERATOR, "models"), [], "is known and names no model"),
        (("causes", OPERATOR, "models", 0, "page"), "../../os", ""),
        (("seconds",), [], r"seconds is \[\]; expected a number"),
    ],
)
def test_a_record_is_checked_before_it_is_used(
    record: dict[str, Any], place: tuple[Any, ...], value: Any, message: str, tmp_path: Path
) -> None:
    changed = copy.deepcopy(record)
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    (tmp_path / "run.json").write_text(json.dumps(changed))
    if message:
        with pytest.raises(ValueError, match=message):
            Run.load(tmp_path / "run.json")
    else:  # harmless: larger cases than can be drawn, and pages of other versions
        Run.load(tmp_path / "run.json").to_html(tmp_path / "report.html")


@pytest.mark.parametrize("operator", registry.representatives())
def test_every_case_of_ours_is_read_again(operator: str) -> None:
    for case in golden.cases(operator, level="full" if THOROUGH else "default"):
        assert case_from_json(json.loads(json.dumps(case_to_json(case)))) == case


def test_text_that_no_terminal_and_no_file_can_hold_is_shown_escaped(
    record: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = copy.deepcopy(record)
    changed["target"] = "\ud800 \x1b[31m"
    run = Run.from_json(changed)
    assert "\x1b" not in run.text()
    run.to_html(tmp_path / "report.html")
    assert r"\ud800" in (tmp_path / "report.html").read_text()
