"""Is this output right? Shape and dtype first, then every cell. Two arrays without a case can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases import dtypes as arrays
from acltwin.golden.cases.dtypes import Array, facts, float64, name_of, rounded
from acltwin.golden.cases.family import along, flowing_name
from acltwin.golden.judge import decode
from acltwin.golden.judge.bound import Bound, Limits, limits
from acltwin.golden.judge.expected import Expected
from acltwin.golden.judge.vendor_rules import Outcome, vendor_rule
from acltwin.golden.judge.verdict import Record, Status, Verdict, census_of, worst_of

if TYPE_CHECKING:
    from acltwin.golden.cases.case import Case

OTHER_TIES = 'some indices name another of several equal cells, which is right; ties="first" wants the documented one'
_notes: ContextVar[list[Record] | None] = ContextVar("notes", default=None)


@contextmanager
def noting(records: list[Record]) -> Iterator[None]:
    """Appends a Record of everything that is judged meanwhile."""
    token = _notes.set(records)
    try:
        yield
    finally:
        _notes.reset(token)


def judge(case: Case, output: Any, rule: str = "bound", **options: Any) -> Verdict:
    """The verdict on the output of a kernel: an array, or a pair for an operator with two results.

    ``rule`` is "bound" or a vendor's (``golden.rule_names()``); ``options`` are those of ``bound``: accumulate, ftz,
    overflow, zero_sign, ties; what the case itself asks for counts where they are silent. Device tensors are brought
    to the host.
    """
    verdict, outputs = _judged(case, output, rule, options)
    records = _notes.get()
    if records is not None:
        records.append(Record(case, verdict, output=None if verdict.passed else tuple(outputs)))
    return verdict


def is_right(case: Case, output: Any, allowed: Limits) -> bool:
    """Whether ``bound``, which allows this, passes an output: the verdict alone, many times faster than its details."""
    outputs = [arrays.to_numpy(one) for one in (output if isinstance(output, tuple | list) else (output,))]
    expected = case.expected()
    if _misfit(case, outputs, expected):
        return False
    outputs = case.with_indices(outputs)
    if wrong_cells(outputs[0], allowed, Bound()).any():
        return False
    return len(outputs) == 1 or not wrong_indices(case, expected, outputs[1]).any()


def _judged(case: Case, output: Any, rule: str, options: dict[str, Any]) -> tuple[Verdict, list[Array]]:
    outcome_of = vendor_rule(rule, case.tolerance) if rule != "bound" else None  # refused before anything is made
    bound = Bound(**{"accumulate": case.accumulate, **options})
    verdict = Verdict(case=case.name, operator=case.operator, rule=rule, status="failed", options=asdict(bound))
    try:
        outputs = [arrays.to_numpy(one) for one in (output if isinstance(output, tuple | list) else (output,))]
    except TypeError as error:
        return replace(verdict, problem=str(error)), []
    expected = case.expected()
    problem = _misfit(case, outputs, expected)
    if problem:
        return replace(verdict, problem=problem), outputs
    allowed = limits(expected, bound)
    seen = case.with_indices(outputs)
    verdict = _by_bound(case, verdict, seen, expected, allowed, bound)
    if outcome_of is None and case.asks:
        verdict = _by_file(case, verdict, outputs[0], expected)
    if outcome_of is not None:
        outcome = outcome_of(outputs[0], allowed.low, case.dtype)
        verdict = _by_vendor(verdict, outcome, outputs[0], expected)
    return verdict, outputs


def _by_bound(
    case: Case, verdict: Verdict, outputs: list[Array], expected: Expected, allowed: Limits, bound: Bound
) -> Verdict:
    found = outputs[0]
    wrong = wrong_cells(found, allowed, bound)
    if not wrong.any() and len(outputs) == 1:
        not_judged = int((~allowed.judged).sum())
        census = replace(census_of(found, allowed.low, wrong), not_judged=not_judged)
        return replace(verdict, status="passed", census=census)
    census = replace(census_of(found, expected.value, wrong), not_judged=int((~allowed.judged).sum()))
    worst = worst_of(found, expected.value, wrong, allowed.low, allowed.high)
    if len(outputs) > 1:
        assert expected.indices is not None
        misplaced, others = wrong_indices(case, expected, outputs[1]), outputs[1] != expected.indices
        if bound.ties == "first":
            misplaced = others
        elif (others & ~misplaced).any():
            verdict = replace(verdict, notes=(*verdict.notes, OTHER_TIES))
        census = replace(census, cells=census.cells + misplaced.size, wrong=census.wrong + int(misplaced.sum()))
        right = expected.indices
        worst += worst_of(outputs[1], right, misplaced, right, right, result=1)
    verdict = replace(verdict, status="failed" if census.wrong else "passed", census=census, worst=worst)
    reading = decode.read(case, found, expected) if wrong.any() else None
    if reading is None:
        return verdict
    return replace(verdict, sources=reading.cells, decoded=reading.decoded, undecoded=reading.undecoded)


def _by_file(case: Case, verdict: Verdict, found: Array, expected: Expected) -> Verdict:
    """The rule that the case's file asks for, beside ``bound``: always shown; it decides where it is stricter."""
    target = rounded(expected.value, found.dtype) if facts(found.dtype).is_float else expected.value
    outcome = vendor_rule(case.asks)(found, target, case.dtype)
    detail = f"its file asks for {case.asks}, which {'passes' if outcome.passed else 'fails'}: {outcome.detail}"
    failed = case.asks == "binary" and not outcome.passed
    return replace(verdict, status="failed" if failed else verdict.status, detail=detail)


def _by_vendor(verdict: Verdict, outcome: Outcome, found: Array, expected: Expected) -> Verdict:
    """The vendor's word counts, except where it would let something pass that is not even a number."""
    impossible = verdict.census.wrong
    warnings = list(outcome.warnings)
    passed = outcome.passed and not any(cell.result for cell in verdict.worst)
    strange = 0
    if facts(found.dtype).is_float:
        strange = int((~np.isfinite(float64(found)) & np.isfinite(rounded_like(expected, found))).sum())
    if passed and strange:
        warnings.append(f"{verdict.rule} would pass, but {strange} cells are not finite where a number is expected")
        passed = False
    elif passed and impossible:
        warnings.append(f"passes {verdict.rule}, but {impossible} cells are impossible for any float32 sum")
    return replace(
        verdict,
        status="passed" if passed else "failed",
        detail=outcome.detail,
        bound_wrong=impossible,
        warnings=tuple(warnings),
    )


def rounded_like(expected: Expected, found: Array) -> NDArray[np.float64]:
    """The expected values in the dtype that was found, widened again."""
    return float64(rounded(expected.value, found.dtype))


def _misfit(case: Case, outputs: list[Array], expected: Expected) -> str | None:
    """What keeps the outputs from being compared at all."""
    wanted = case.result_shapes(expected)
    if len(outputs) != len(wanted):
        return f"{len(outputs)} results, expected {len(wanted)}"
    for number, (output, (dtype, shape)) in enumerate(zip(outputs, wanted, strict=True)):
        which = f"result {number}" if len(wanted) > 1 else "the result"
        if output.shape != shape:
            same = output.size == int(np.prod(shape))
            hint = "; the number of elements is right, their arrangement is not" if same else ""
            return f"{which} has the shape {output.shape}, expected {shape}{hint}"
        integers = number > 0 and dtype != "int8" and np.issubdtype(output.dtype, np.integer)  # not those of a mask
        if not integers and name_of(output.dtype) != dtype:
            return (
                f"{which} is {name_of(output.dtype)}, expected {dtype}; convert nothing: the kernel's own dtype counts"
            )
    return None


def impossible_cells(case: Case, found: Array, options: Mapping[str, Any]) -> NDArray[np.bool_]:
    """The cells of a first result that no right kernel returns by ``bound`` with these options, whatever the rule."""
    bound = Bound(**options)
    return wrong_cells(found, limits(case.expected(), bound), bound)


def wrong_cells(found: Array, allowed: Limits, bound: Bound) -> NDArray[np.bool_]:
    if not facts(found.dtype).is_float:
        return np.asarray((found != allowed.low) & allowed.judged)
    with np.errstate(invalid="ignore"):
        right = (found >= allowed.low) & (found <= allowed.high)
        if not right.all():
            right |= np.isnan(found) & np.isnan(allowed.low)
    if bound.zero_sign:
        right &= ~((found == 0) & (allowed.error == 0) & (np.signbit(found) != np.signbit(allowed.low)))
    return np.asarray(~right & allowed.judged)


# ---- indices that max pooling finds: each must point at a maximum of its own window ----


def wrong_indices(case: Case, expected: Expected, found: Array) -> NDArray[np.bool_]:
    """Where a window has one maximum this is equality; among equal maxima every choice is right."""
    assert expected.indices is not None
    values = arrays.planes_first(case[flowing_name(case.spec)], case.data_format).astype(np.float64)
    axes = len(case.spec.axes)
    plane = values.shape[-axes:]
    index = arrays.planes_first(found, case.data_format).astype(np.int64)
    inside = (index >= 0) & (index < int(np.prod(plane)))
    flat = values.reshape(*values.shape[:-axes], -1)
    places = np.where(inside, index, 0).reshape(*index.shape[:-axes], -1)
    chosen = np.take_along_axis(flat, places, -1).reshape(index.shape)
    best = arrays.planes_first(expected.value, case.data_format)
    is_maximum = (chosen == best) | (np.isnan(chosen) & np.isnan(best))
    right = inside & is_maximum & _in_window(case.arguments, np.where(inside, index, 0), plane)
    return np.asarray(~(np.moveaxis(right, 1, -1) if arrays.is_channels_last(case.data_format) else right))


def _in_window(arguments: Any, index: NDArray[np.int64], plane: tuple[int, ...]) -> NDArray[np.bool_]:
    """Whether each place is one that the window of its cell looks at."""
    axes = len(plane)
    coordinates = np.unravel_index(index, plane)
    inside = np.ones(index.shape, bool)
    if "kernel_size" not in arguments:  # windows share the plane
        for axis, place in enumerate(coordinates):
            windows = index.shape[index.ndim - axes + axis]
            number = np.arange(windows).reshape(-1, *(1,) * (axes - 1 - axis))
            inside &= (place >= number * plane[axis] // windows) & (place < -(-(number + 1) * plane[axis] // windows))
        return inside
    kernel = along(arguments["kernel_size"], axes)
    stride = along(arguments["stride"], axes) if arguments["stride"] not in (None, ()) else kernel
    padding, dilation = along(arguments["padding"], axes), along(arguments["dilation"], axes)
    for axis, coordinate in enumerate(coordinates):
        window = np.arange(index.shape[index.ndim - axes + axis]).reshape(-1, *(1,) * (axes - 1 - axis))
        offset = coordinate - (window * stride[axis] - padding[axis])
        inside &= (offset >= 0) & (offset % dilation[axis] == 0) & (offset // dilation[axis] < kernel[axis])
    return inside


# ---- two arrays, no case ----


def compare(actual: Any, expected: Any, rule: str = "bound") -> Verdict:
    """Whether ``actual`` is ``expected``, rounded once to its dtype, by a rule.

    Nothing is known of how the numbers came about, so ``bound`` allows no rounding on the way here: it is equality,
    with NaN equal to NaN. ``golden.judge`` knows the case and allows what any float32 sum can give.
    """
    outcome_of = vendor_rule(rule) if rule != "bound" else None
    found, wanted = arrays.to_numpy(actual), arrays.to_numpy(expected)
    verdict = Verdict(case="two arrays", operator="", rule=rule, status="failed")
    if found.shape != wanted.shape:
        return replace(verdict, problem=f"the shape is {found.shape}, expected {wanted.shape}")
    dtype = facts(found.dtype)
    if dtype.is_float != facts(wanted.dtype).is_float:
        return replace(verdict, problem=f"the dtype is {dtype.name}, expected {name_of(wanted.dtype)}")
    target = rounded(float64(wanted), found.dtype) if dtype.is_float else wanted
    equal = found == target
    if dtype.is_float:
        equal = equal | (np.isnan(float64(found)) & np.isnan(float64(target)))
    worst = worst_of(found, target, ~equal, target, target)
    verdict = replace(verdict, census=census_of(found, target, ~equal), worst=worst)
    if outcome_of is None:
        return replace(verdict, status="passed" if equal.all() else "failed")
    outcome = outcome_of(found, target, dtype.name)
    status: Status = "passed" if outcome.passed else "failed"
    return replace(verdict, status=status, detail=outcome.detail, warnings=outcome.warnings)
