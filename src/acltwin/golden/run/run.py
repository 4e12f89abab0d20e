"""A run: what a target answered to a list of cases, and what came of it.

What a report builds on::

    run.target, run.rule, run.options, run.level, run.seed, run.repetition, run.environment, run.seconds
    run.records      one Record per case: case, verdict, seconds, device, output (kept for failing cases)
    run.passed       every case passed, and at least one was run
    run.failures     the records that did not pass
    run.causes       Cause by operator: what explains the failures; run.cause the first of them, or None
    run.impulses     Record by operator: the output is the map itself, plane o the image of source o
    run.text()       for people; run.to_json() everything but the cases' data; Run.from_json() reads it again
"""

from __future__ import annotations

import base64
import json
import math
import platform
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import acltwin
from acltwin._writing import write_text
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.checked import Count, checked, json_of, short
from acltwin.golden.cases.dtypes import Array, facts, name_of
from acltwin.golden.causes.cause import Cause
from acltwin.golden.files.describe import case_from_json, case_to_json
from acltwin.golden.files.tensors import plain
from acltwin.golden.judge.bound import Bound
from acltwin.golden.judge.vendor_rules import rule_names
from acltwin.golden.judge.verdict import KEPT_CASES, Record
from acltwin.golden.report import run_text, to_html
from acltwin.golden.run.repeating import Repetition
from acltwin.ops import OPERATORS

if TYPE_CHECKING:
    from acltwin.golden.wrong.score import Score

SCHEMA = "acltwin-run/1"
KEPT_BYTES = 2 * 2**20  # of one of them

PASSED, FAILED, REQUEST_WRONG, TARGET_BROKEN, NOTHING_RUN = range(5)


@dataclass
class Run:
    """What a kernel answered to a list of cases: ``records`` has a case, a verdict and a time for each of them."""

    target: str
    rule: str = "bound"
    options: Mapping[str, Any] = field(default_factory=dict)
    level: str = ""
    seed: int = 0
    repetition: Repetition = field(default_factory=Repetition)  # the words that repeat it
    records: list[Record] = field(default_factory=list)
    causes: dict[str, Cause] = field(default_factory=dict)  # of the failures, by operator
    impulses: dict[str, Record] = field(default_factory=dict)  # whole maps of failing operators
    seconds: float = 0.0
    interrupted: bool = False
    environment: Mapping[str, str] = field(default_factory=lambda: environment())

    @property
    def cause(self) -> Cause | None:
        """Of the first operator that fails."""
        return next(iter(self.causes.values()), None)

    @property
    def counts(self) -> Counter[str]:
        return Counter(record.verdict.status for record in self.records)

    @property
    def ran(self) -> list[Record]:
        return [record for record in self.records if record.verdict.status != "skipped"]

    @property
    def passed(self) -> bool:
        """At least one case was run, and none of them went wrong."""
        return bool(self.ran) and all(record.verdict.passed for record in self.ran) and not self.interrupted

    @property
    def failures(self) -> list[Record]:
        """The records that did not pass."""
        return [record for record in self.ran if not record.verdict.passed]

    @property
    def devices(self) -> list[str]:
        return sorted({record.device for record in self.records if record.device})

    @property
    def exit_status(self) -> int:
        """0 passed, 1 failed, 3 the target could not be run in some case, 4 nothing was run."""
        if not self.ran:
            return NOTHING_RUN
        if self.counts["error"]:
            return TARGET_BROKEN
        return FAILED if self.counts["failed"] or self.interrupted else PASSED

    def text(self) -> str:
        """Counts, cause, worst case and the call that repeats it, as ``acltwin verify`` prints them."""
        return run_text(self)

    def to_html(self, path: str | Path, score: Score | None = None) -> None:
        """The report: one file that needs no network. With a ``score`` it says what the cases cannot see."""
        to_html(self, Path(path), score)

    def to_json(self) -> dict[str, Any]:
        kept = {id(record) for record in self.failures[:KEPT_CASES]}
        return {
            "schema": SCHEMA,
            "target": self.target,
            "rule": self.rule,
            "options": plain(self.options),
            "level": self.level,
            "seed": self.seed,
            "repetition": asdict(self.repetition),
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "environment": dict(self.environment),
            "passed": self.passed,
            "counts": dict(self.counts),
            "causes": {operator: cause.to_json() for operator, cause in self.causes.items()},
            "impulses": {operator: record_to_json(record, True) for operator, record in self.impulses.items()},
            "records": [record_to_json(record, id(record) in kept) for record in self.records],
        }

    def save(self, path: str | Path) -> None:
        write_text(Path(path), json.dumps(self.to_json(), indent=1) + "\n")

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Run:
        """ValueError, with the place, for anything that is not a run of ours."""
        return run_from_json(data)

    @staticmethod
    def load(path: str | Path) -> Run:
        try:
            return Run.from_json(json_of(Path(path)))
        except ValueError as error:
            raise ValueError(
                f"{path} is not a run that can be read: {error}; make it again with acltwin verify"
            ) from error


def environment() -> dict[str, str]:
    from acltwin import _core

    return {
        "acltwin": acltwin.__version__,
        "instruction set": _core.instruction_set(),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def record_to_json(record: Record, with_output: bool) -> dict[str, Any]:
    entry = {
        "case": case_to_json(record.case),
        "verdict": plain(record.verdict.to_json()),
        "seconds": record.seconds,
        "device": record.device,
    }
    if with_output and record.output and sum(one.nbytes for one in record.output) <= KEPT_BYTES:
        entry["output"] = [_packed(one) for one in record.output]
    return entry


def _packed(array: Array) -> dict[str, Any]:
    packed = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes())).decode()
    return {"dtype": name_of(array.dtype), "shape": list(array.shape), "zlib": packed}


# ---- from a record: everything is checked before any of it is used ----


def run_from_json(data: Any, where: str = "the run") -> Run:
    """ValueError, with the place, for anything that is not a run of ours."""
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"{where} is not a run: its schema is {short(schema)}; expected {SCHEMA!r}")
    run: Run = checked(Run, data, where, {Case: case_from_json, Record: record_from_json, Cause: _cause})
    _check_rule(run.rule, f"{where}, rule")
    for name in (*run.causes, *run.impulses):
        if name not in OPERATORS:
            raise ValueError(f"{where} has a cause or a map of {short(name)}; expected an operator")
    return replace(run, options=_options(run.options, f"{where}, options"))


def record_from_json(data: Any, where: str = "the record") -> Record:
    made: Record = checked(Record, data, where, {Case: case_from_json, np.ndarray: _unpacked})
    verdict = made.verdict
    _check_rule(verdict.rule, f"{where}, verdict, rule")
    return replace(made, verdict=replace(verdict, options=_options(verdict.options, f"{where}, verdict, options")))


def _check_rule(rule: str, where: str) -> None:
    if rule not in rule_names():
        raise ValueError(f"{where} is {short(rule)}; expected one of {', '.join(rule_names())}")


def _options(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Those of ``bound`` that were given."""
    bound = checked(Bound, dict(given), where)
    names = {part.name for part in fields(Bound)}
    for name in given:
        if name not in names:
            raise ValueError(f"{where} has {short(name)}; expected some of {', '.join(sorted(names))}")
    return {name: getattr(bound, name) for name in given}


def _cause(data: Any, where: str) -> Cause:
    cause: Cause = checked(Cause, data, where)
    if cause.kind != "unknown" and not cause.models:
        raise ValueError(f"{where} is {cause.kind} and names no model; expected one")
    return cause


@dataclass(frozen=True)
class _Packed:
    dtype: str
    shape: tuple[Count, ...]
    zlib: str


def _unpacked(data: Any, where: str) -> Array:
    """No more memory is used than a run keeps of an output."""
    packed: _Packed = checked(_Packed, data, where)
    dtype = facts(packed.dtype).dtype
    size = math.prod(packed.shape) * dtype.itemsize
    if len(packed.shape) > 8 or size > KEPT_BYTES:
        raise ValueError(f"{where} has the shape {short(packed.shape)}; expected at most {KEPT_BYTES} bytes of output")
    try:
        raw = zlib.decompressobj().decompress(base64.b64decode(packed.zlib), size + 1)
    except (ValueError, zlib.error) as error:
        raise ValueError(f"{where} cannot be unpacked: {error}") from error
    if len(raw) != size:
        raise ValueError(f"{where} has {len(raw)} bytes; expected {size} for {packed.dtype} {packed.shape}")
    return np.frombuffer(raw, dtype).reshape(packed.shape).copy()
