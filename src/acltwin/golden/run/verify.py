"""Running a kernel over cases and judging what it answers."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from acltwin.golden.cases.case import Case, Kind
from acltwin.golden.cases.cases import cases as default_cases
from acltwin.golden.cases.cases import make_case, selected
from acltwin.golden.cases.family import Level
from acltwin.golden.causes import explain
from acltwin.golden.judge.bound import Bound
from acltwin.golden.judge.judge import judge
from acltwin.golden.judge.vendor_rules import rule_names
from acltwin.golden.judge.verdict import Record, Verdict
from acltwin.golden.run import repeating, workers
from acltwin.golden.run.calling import Answer, Caller, Conduct, Convention, same_bits
from acltwin.golden.run.run import Run
from acltwin.golden.run.targets import FunctionTarget, Target

IMPULSES = 1024  # sources of a plane whose whole map is asked for
AGAIN = 4  # failing cases that are run a second time
OUTPUT_BYTES = 256 * 2**20  # failing outputs that are kept in memory, to be explained
Progress = Callable[[Run, int], None]
"""Called after every case with the run so far and the number of cases."""


def verify(
    kernel: Callable[..., Any],
    operator: str | Sequence[Case],
    *,
    level: Level = "default",
    dtypes: Sequence[str] | None = None,
    seed: int = 0,
    only: str | Sequence[str] = (),
    rule: str = "bound",
    kind: Kind | None = None,
    device: str = "cpu",
    call: Caller | None = None,
    convention: Convention = "acltwin",
    map_rule: str = "device",
    jobs: int = 1,
    timeout: float = workers.TIMEOUT,
    repeat: int = 1,
    deterministic: bool = False,
    require_device: str | None = None,
    isolate: bool | None = None,
    explain_seconds: float = explain.SECONDS,
    progress: Progress | None = None,
    **options: Any,
) -> Run:
    """Run a kernel over the cases of an operator, and say whether it is right, and if not, why.

    Args:
        kernel: a Python function. It is called like ``acltwin.<operator>``, by the same names if it has them, else by
            position; if it requires ``out``, it gets memory full of NaN there.
        operator: the operator whose cases are run, or a list of cases.
        level, dtypes, seed, map_rule: as in ``golden.cases``.
        only: run only cases whose name begins with this.
        rule: ``"bound"``, or a vendor rule (``golden.rule_names()``).
        kind: which arrays the kernel gets, ``"numpy"`` or ``"torch"``. Default: torch if its module uses it.
        device: where PyTorch tensors are put.
        call: ``call(kernel, case)`` makes the call itself, from ``case["grad_out"]`` and ``case.arguments``.
        convention: ``"aten"`` for aten's order of arguments.
        jobs: number of child processes.
        timeout: seconds per case.
        repeat: run each case this many times and compare bits; differences are a warning.
        deterministic: differences between repetitions are a failure.
        require_device: fail results that are on another device.
        isolate: False runs the kernel in this process, the default for devices that do not survive a fork.
        explain_seconds: how long to look for the cause of failures.
        progress: called after every case with the run so far and the number of cases.
        options: those of ``bound``: ``accumulate``, ``ftz``, ``overflow``, ``zero_sign``, ``ties``.
    """
    given = {name: value for name, value in locals().items() if name not in ("kernel", "operator", "options")}
    repetition = repeating.of_call(verify, kernel, operator, {**given, **options})
    conduct = Conduct(device=device, repeat=repeat, deterministic=deterministic, require_device=require_device)
    target = FunctionTarget(kernel, kind or ("torch" if device != "cpu" else None), call, convention, conduct)
    chosen = (
        default_cases(operator, level=level, dtypes=dtypes, seed=seed, map_rule=map_rule)
        if isinstance(operator, str)
        else list(operator)
    )
    chosen = selected(chosen, [only] if isinstance(only, str) else only)
    isolated = device == "cpu" if isolate is None else isolate
    Bound(**options)  # wrong ones are refused before anything is run
    run = Run(target.name, rule, options, level, seed, repetition)
    carry_out(
        run,
        target,
        chosen,
        jobs=jobs,
        timeout=timeout,
        isolate=isolated,
        explain_seconds=explain_seconds,
        progress=progress,
    )
    return run


def carry_out(
    run: Run,
    target: Target,
    cases: Sequence[Case],
    *,
    jobs: int = 1,
    timeout: float = workers.TIMEOUT,
    isolate: bool = True,
    explain_seconds: float = explain.SECONDS,
    progress: Progress | None = None,
) -> None:
    """The whole sequence: calls and judges every case that has no record yet, then says why some fail, and how."""
    run.environment = {**run.environment, "date": time.strftime("%Y-%m-%d %H:%M %z"), **_kernel(target)}
    _execute(run, target, cases, jobs, timeout, isolate, progress)
    explain_run(run, explain_seconds)
    _follow_up(run, target, timeout, isolate)


def _kernel(target: Target) -> dict[str, str]:
    """The files of the kernel with the beginnings of their SHA-256: which version this was."""
    hashes = {path: hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in target.files() if path.is_file()}
    return {"kernel": ", ".join(f"{path} ({digest})" for path, digest in hashes.items())} if hashes else {}


def _execute(
    run: Run, target: Target, cases: Sequence[Case], jobs: int, timeout: float, isolate: bool, progress: Progress | None
) -> None:
    """Adds a record for every case that has none; on Ctrl-C those that there are, and the run says so."""
    if run.rule not in rule_names():
        raise ValueError(f"no rule is called {run.rule!r}; expected one of {', '.join(rule_names())}")
    start = time.perf_counter()
    room = OUTPUT_BYTES
    done = {(record.case.operator, record.case.name) for record in run.records}
    left = [case for case in cases if (case.operator, case.name) not in done]
    answered = workers.answers(left, target, jobs=jobs, timeout=timeout, isolate=isolate)
    run.interrupted = True
    try:
        for number, answer in answered:
            record = _record(run, left[number], answer)
            room -= sum(output.nbytes for output in record.output or ())
            run.records.append(record if room >= 0 else replace(record, output=None))
            if progress:
                progress(run, len(cases))
        run.interrupted = False
    finally:
        answered.close()
        run.seconds += time.perf_counter() - start
        order = {(case.operator, case.name): number for number, case in enumerate(cases)}
        run.records.sort(key=lambda record: order.get((record.case.operator, record.case.name), -1))


def explain_run(run: Run, seconds: float) -> None:
    """Looks for the cause of the failures."""
    operators = dict.fromkeys(record.case.operator for record in run.failures)
    for operator in operators:
        records = [record for record in run.records if record.case.operator == operator]
        cause = explain.explain(records, seconds / len(operators))
        if cause is not None:
            run.causes[operator] = cause


def _follow_up(run: Run, target: Target, timeout: float, isolate: bool) -> None:
    """Of every operator that fails, the whole map of one small geometry: an impulse for every source."""
    operators = dict.fromkeys(record.case.operator for record in run.failures)
    for operator in operators:
        _run_again(run, operator, target, timeout, isolate)
        case = _impulse_case([record.case for record in run.failures if record.case.operator == operator])
        if case is None:
            continue
        for _, answer in workers.answers([case], target, timeout=timeout, isolate=isolate):
            run.impulses[operator] = replace(_record(run, case, answer), output=answer.outputs)


def _run_again(run: Run, operator: str, target: Target, timeout: float, isolate: bool) -> None:
    """A failure may be a race: a few failing cases are run again, and a difference is said."""
    failing = [record for record in run.failures if record.case.operator == operator and record.output]
    chosen = sorted(failing, key=lambda record: record.verdict.census.cells)[:AGAIN]
    answered = workers.answers([record.case for record in chosen], target, timeout=timeout, isolate=isolate)
    for number, answer in answered:
        record = chosen[number]
        if answer.status != "answered" or same_bits(record.output or (), answer.outputs):
            continue
        warning = "not deterministic: run again, a failing case gave other bits; --repeat 10 shows how often"
        verdict = replace(record.verdict, warnings=(*record.verdict.warnings, warning))
        place = next(place for place, one in enumerate(run.records) if one is record)
        run.records[place] = replace(record, verdict=verdict)


def _impulse_case(cases: Sequence[Case]) -> Case | None:
    """The smallest geometry that fails in coded data and has few enough sources."""
    small = [
        case
        for case in cases
        if case.geometry and (case.fill or "").startswith("coded") and math.prod(case.geometry.source) <= IMPULSES
    ]
    if not small:
        return None
    case = min(small, key=lambda one: math.prod(one.geometry.source) if one.geometry else 0)
    assert case.geometry is not None
    geometry = replace(case.geometry, batch=(1,) * len(case.geometry.batch))
    return make_case(case.spec, geometry, case.dtype, "impulse", case.seed, case.map_rule)


def _record(run: Run, case: Case, answer: Answer) -> Record:
    if answer.status != "answered":
        verdict = Verdict(case.name, case.operator, run.rule, answer.status, problem=answer.problem, notes=answer.notes)
        return Record(case, verdict, answer.seconds, answer.device)
    output: Any = answer.outputs if len(answer.outputs) > 1 else answer.outputs[0]
    verdict = judge(case, output, run.rule, **run.options)
    if answer.warnings or answer.notes:
        notes = (*verdict.notes, *answer.notes)
        verdict = replace(verdict, warnings=(*verdict.warnings, *answer.warnings), notes=notes)
    kept = None if verdict.passed else answer.outputs
    return Record(case, verdict, answer.seconds, answer.device, kept)
