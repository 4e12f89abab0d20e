"""Commands on files from elsewhere: every outcome is success or one sentence, in bounded time."""

from __future__ import annotations

import contextlib
import io
import json
import random
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import acltwin
from acltwin import golden
from acltwin.cli import main
from acltwin.golden.files import manifest
from acltwin.golden.files import tensors as files
from acltwin.golden.files import vendor as formats
from support.mutations import changed_table, damaged, written

SECONDS = 30
ROOM = ["--max-bytes", str(2**20)]
EXAMPLES = Path(__file__).parents[2] / "examples" / "golden"
TAGS = (
    *("html", "head", "meta", "title", "style", "script", "body", "section", "h1", "h2", "h3", "p", "b", "br", "i"),
    *("span", "div", "pre", "code", "dl", "dt", "dd", "details", "summary", "figure", "figcaption", "img", "label"),
    *("input", "table", "thead", "tbody", "tr", "th", "td"),
)


class TooLongError(BaseException):
    """Nobody catches it but the test."""


@dataclass(frozen=True)
class Subject:
    """A kind of file: what it is made of, and the command that reads it."""

    name: str
    make: Callable[[random.Random | None], bytes]  # without a random number generator, as it is
    file: str
    words: tuple[str, ...]


def subjects(place: Path) -> list[Subject]:
    """Written into ``place``, the current directory; changed there again and again."""
    return [*_records(), *_manifests(place), *_vendor_files(), *_descriptions(), *_cases(place)]


def _wrong(grad_out: Any, output_size: Any, input_size: Any, *scales: float, **options: Any) -> Any:
    return acltwin.upsample_nearest3d_backward(grad_out, output_size, input_size, *scales, **options)


def _without_indices(**given: Any) -> Any:
    values, indices = acltwin.max_pool3d_with_argmax(**given)
    return values, np.zeros_like(indices)


def _records() -> Iterator[Subject]:
    runs = {
        "sums": golden.verify(
            _wrong, "upsample_nearest_exact3d_backward", level="quick", only=("frac-up/", "down/float16")
        ),
        "indices": golden.verify(_without_indices, "max_pool3d_with_argmax", level="quick", only="ceil/float16"),
    }
    score = golden.score(golden.cases("max_unpool3d_backward", level="quick")[:1], advise=False).to_json()
    for name, run in runs.items():
        run.save("run.json")
        document = run.to_json()
        make = lambda chance, document=document: written(document, chance)  # noqa: E731
        yield Subject(f"record of {name}", make, "record.json", ("report", "record.json", "-o", "out/report.html"))
    resumed = {**document, "target": ".", "options": {"ftz": False, "overflow": "inf", "zero_sign": False}}
    make = lambda chance: written(resumed, chance)  # noqa: E731
    chosen = ("max_pool3d_with_argmax", "--level", "quick", "--only", "ceil/float16", "--explain-seconds", "0")
    words = ("verify", "--outputs", ".", *chosen, "--resume", "--json", "record.json")
    yield Subject("record to resume", make, "record.json", words)
    words = ("report", "run.json", "--score", "score.json", "-o", "out/report.html")
    yield Subject("score", lambda chance: written(score, chance), "score.json", words)


def _manifests(place: Path) -> Iterator[Subject]:
    """In a directory whose tensors are right."""
    for operator, only in (
        ("upsample_nearest3d_backward", "factor2/float16"),
        ("max_pool3d_with_argmax_backward", "4d/float16"),
    ):
        cases = [case for case in golden.cases(operator, level="full") if case.name.startswith(only)]
        folder = f"set-{operator}"
        manifest.write(cases[:4], place / folder)
        document = json.loads(Path(folder, "manifest.json").read_text())
        plain = json.loads(Path(folder, "manifest.json").read_text())
        for entry in plain["cases"]:
            del entry["made_from"]
        for name, one in (("made from", document), ("read from", plain)):
            make = lambda chance, one=one: written(one, chance)  # noqa: E731
            file = f"{folder}/manifest.json"
            yield Subject(f"manifest, {name}", make, file, ("golden", "--from", file, "-o", "out/again"))
            yield Subject(f"manifest, {name}, verified", make, file, ("verify", "--outputs", folder, folder, *ROOM))


def _vendor_files() -> Iterator[Subject]:
    atk = json.loads((EXAMPLES / "atk_upsample.json").read_text())
    ttk = (EXAMPLES / "ttk_upsample.csv").read_text()
    pool, kernels = _as("atk", "max_pool3d_with_argmax_backward"), _as("ttk-kernel-csv", "max_unpool3d_backward")
    calls = _as("ttk-csv", "max_pool3d_with_argmax")
    formats.write(golden.cases("max_unpool3d", level="quick")[:3], "ttk", "ttk")
    table = Path("ttk/cases.csv").read_text()
    for name, make in (
        ("ATK", lambda chance: written(atk, chance)),
        ("ATK of pooling", lambda chance: written(json.loads(pool), chance)),
    ):
        yield Subject(name, make, "atk.json", ("golden", "atk.json", "--data", "both", "-o", "out/set", *ROOM))
    for name, text in (("TTK", ttk), ("TTK of pooling", calls), ("TTK of kernels", kernels)):
        make = lambda chance, text=text: _table(text, chance)  # noqa: E731
        yield Subject(name, make, "ttk.csv", ("golden", "ttk.csv", "--data", "both", "-o", "out/set", *ROOM))
    make = lambda chance: _table(table, chance)  # noqa: E731
    yield Subject("TTK directory", make, "ttk/cases.csv", ("compare", "--ttk", "ttk"))


def _as(format_name: str, operator: str) -> str:
    formats.write(golden.cases(operator, level="quick", dtypes=("float16",))[:8], "written", format_name)
    return Path("written").read_text()


def _table(text: str, chance: random.Random | None) -> bytes:
    if chance is None:
        return text.encode()
    return (
        damaged(text.encode(), chance)
        if chance.random() < 0.1
        else changed_table(text, chance).encode(errors="replace")
    )


def _descriptions() -> Iterator[Subject]:
    upsample = {
        "operator": "upsample_nearest_exact3d_backward",
        "dtype": ["float16", "float32"],
        "fill": ["coded", "special"],
        "cases": [
            {"input_size": [1, 2, 4, 5, 6], "output_size": [8, 9, 11], "scales": [2.0, 1.8, 1.9], "format": "NDHWC"},
            {"input_size": [2, 2, 3], "output_size": [4, 4, 5], "C": "exact", "name": "mine"},
        ],
    }
    window = {"input_size": [2, 4, 5, 6], "kernel_size": 2, "padding": 1, "stride": [1, 2, 1], "ceil_mode": True}
    pool = {"operator": "max_pool3d_with_argmax_backward", "cases": [window]}
    for name, one in (("upsampling", upsample), ("pooling", pool)):
        make = lambda chance, one=one: written(one, chance)  # noqa: E731
        for file in ("mine.json", "mine.yaml"):
            yield Subject(f"description of {name}", make, file, ("golden", file, "-o", "out/set", *ROOM))


def _cases(place: Path) -> Iterator[Subject]:
    case = golden.cases("max_unpool3d_backward", level="quick")[0]
    files.write_inputs(case, place / "case")
    np.save("case/result.npy", np.zeros(case.expected().value.shape, np.float32))
    about = json.loads(Path("case/case.json").read_text())
    words = ("compare", "case/result.npy", "--case", "case/case.json")
    yield Subject("case", lambda chance: written(about, chance), "case/case.json", words)
    result = Path("case/result.npy").read_bytes()
    yield Subject(
        "array", lambda chance: damaged(result, chance), "case/other.npy", ("compare", "case/other.npy", *words[1:2])
    )


def outcome(subject: Subject, chance: random.Random | None) -> str:
    """ "status N", or a complaint; the file lies there afterwards."""
    content = subject.make(chance)
    path = Path(subject.file)
    before = path.read_bytes() if path.exists() else None
    path.write_bytes(content)
    printed, said = io.StringIO(), io.StringIO()
    try:
        with _in_time(), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            status = main(subject.words)
    except TooLongError:
        return f"no end after {SECONDS} s"
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:80]} ({Path(place.filename).name}:{place.lineno})"
    finally:
        if before is not None:
            path.write_bytes(before)
    return _complaint(subject, status, said.getvalue()) or f"status {status}"


def _complaint(subject: Subject, status: int, said: str) -> str:
    lines = said.splitlines()
    if status == 2 and (not lines or not lines[-1].startswith(f"acltwin {subject.words[0]}: ")):
        return f"not one sentence: {said[-100:]!r}"
    if any(word in said for word in ("Error: ", "NoneType", "object has no attribute", "not subscriptable")):
        return f"a sentence for programmers: {lines[-1][-150:]}"
    if subject.words[0] == "report" and status == 0:
        return Page(Path("out/report.html").read_text(encoding="utf-8")).complaint
    return "" if status in (0, 1, 2, 3, 4) else f"status {status}"


class Page(HTMLParser):
    """A report: ``complaint`` names markup that is not one of ours."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.complaint, self.scripts = "", 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        allowed = all(
            not name.startswith("on") and (name != "src" or str(url).startswith("data:")) for name, url in attrs
        )
        if tag not in TAGS or not allowed or self.scripts > 1:
            self.complaint = f"foreign markup: <{tag} {attrs}>"


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    def ring(_: int, __: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
