"""The vendors' rules, as their tools apply them, for people who must pass them: one table.

A rule compares an output with the expected values, both in the output's dtype; it knows nothing of how they came
about. Its name carries its table: tables differ between tools that call their rule by the same name. Integers are
judged by their bits under every rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, float64

Floats = NDArray[np.float64]
BLIND = "this case cannot fail under this rule: a result of zeros passes"


@dataclass(frozen=True)
class Tolerance:
    """A relative and an absolute tolerance, and how many elements may miss them."""

    rtol: float
    misses: float  # the share of the elements that may be anything
    atol: float = 1e-8

    @staticmethod
    def of(dtype: str) -> Tolerance:
        """Where nobody asks for another."""
        usual = 1e-3 if dtype in ("float16", "bfloat16") else 1e-4
        return Tolerance(usual, usual)


@dataclass(frozen=True)
class Outcome:
    passed: bool
    detail: str  # the figures that decided
    warnings: tuple[str, ...] = ()


VendorRule = Callable[[Array, Array, str], Outcome]
"""(found, expected, dtype name) -> outcome."""
Rule = Callable[[Floats, Floats, str, Tolerance], Outcome]
"""The same for floating-point numbers, in float64."""


def rule_names() -> tuple[str, ...]:
    """The rules that ``judge``, ``verify`` and ``score`` take: ``"bound"`` and those of vendors."""
    return ("bound", *RULES)


def vendor_rule(name: str, tolerance: Tolerance | None = None) -> VendorRule:
    """``tolerance``: of the case's file, for the rules that look at it."""
    if name not in RULES:
        raise ValueError(f"no rule is called {name!r}; expected one of {', '.join(rule_names())}")
    return partial(_with_blindness, RULES[name], tolerance)


def _with_blindness(
    rule: Rule | None, tolerance: Tolerance | None, found: Array, expected: Array, dtype: str
) -> Outcome:
    """What the rule says, and whether it would say the same of a result that was never written."""
    outcome = _applied(rule, tolerance, found, expected, dtype)
    if not expected.size or not _applied(rule, tolerance, np.zeros_like(found), expected, dtype).passed:
        return outcome
    return replace(outcome, warnings=(*outcome.warnings, BLIND))


def _applied(rule: Rule | None, tolerance: Tolerance | None, found: Array, expected: Array, dtype: str) -> Outcome:
    if rule is None or not facts(dtype).is_float:
        return _binary(found, expected)
    with np.errstate(invalid="ignore"):
        return rule(float64(found), float64(expected), dtype, tolerance or Tolerance.of(dtype))


def _binary(found: Array, expected: Array) -> Outcome:
    """Equal bits."""
    bits = np.dtype(f"u{found.dtype.itemsize}")
    differ = int((np.ascontiguousarray(found).view(bits) != np.ascontiguousarray(expected).view(bits)).sum())
    return Outcome(differ == 0, f"{differ} of {found.size} elements differ in some bit")


def _same(actual: Floats, golden: Floats) -> NDArray[np.bool_]:
    return np.asarray((actual == golden) | (np.isnan(actual) & np.isnan(golden)))


# ---- mixed: 99 % of the elements within atol + rtol |expected|, and no error above a limit ----

Table = Mapping[str, tuple[float, float, float]]  # dtype -> rtol, atol, limit
_TTK: Table = {
    "float16": (2.0**-9, 2.0**-9, 0.1),
    "bfloat16": (2.0**-6, 2.0**-6, 1.0),
    "float32": (2.0**-10, 2.0**-16, 1e-2),
}
_TILELANG: Table = {
    "float16": (2.0**-9, 2.0**-14, 0.1),
    "bfloat16": (2.0**-6, 2.0**-10, 1.0),
    "float32": (2.0**-10, 2.0**-16, 1e-2),
}
SHARE = 0.99


def _mixed(table: Table, actual: Floats, golden: Floats, dtype: str, tolerance: Tolerance) -> Outcome:
    rtol, atol, limit = table.get(dtype, table["float32"])
    error, same = np.abs(actual - golden), _same(actual, golden)
    close = same | (error <= atol + rtol * np.abs(golden))
    largest = float(np.where(same, 0.0, error).max(initial=0.0))
    share = float(close.mean()) if close.size else 1.0
    detail = (
        f"{share:.2%} within {atol:g} + {rtol:g} |expected| (99 % needed), largest error {largest:g} (limit {limit:g})"
    )
    return Outcome(share >= SHARE and largest <= limit, detail)


# ---- stat_rel_err: mean and largest relative error (MERE and MARE) ----

_THRESHOLD = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-13}
_SMALL = {"float16": (2.0**-11, 2.0**-16), "bfloat16": (2.0**-8, 2.0**-16), "float32": (2.0**-14, 2.0**-30)}
_NOT_ZERO = 1e-7


def _relative(actual: Floats, golden: Floats, dtype: str, tolerance: Tolerance) -> Outcome:
    """Mean below T, largest below 10 T."""
    return _by_threshold(_errors(actual, golden), golden, dtype)


def _relative_or_small(actual: Floats, golden: Floats, dtype: str, tolerance: Tolerance) -> Outcome:
    """Where that fails, small expected values are judged by their absolute error instead."""
    error = _errors(actual, golden)
    first = _by_threshold(error, golden, dtype)
    if first.passed:
        return first
    below, atol = _SMALL.get(dtype, _SMALL["float32"])
    small = np.abs(golden) < below
    missed = int((~(error[small] <= atol)).sum())
    rest = _by_threshold(error[~small], golden[~small], dtype)
    return Outcome(rest.passed and missed == 0, f"{rest.detail}; {missed} small values off by more than {atol:g}")


def _errors(actual: Floats, golden: Floats) -> Floats:
    return np.where(_same(actual, golden), 0.0, np.abs(actual - golden))


def _by_threshold(error: Floats, golden: Floats, dtype: str) -> Outcome:
    threshold = _THRESHOLD.get(dtype, _THRESHOLD["float32"])
    relative = np.where(error == 0, 0.0, error / (np.abs(golden) + _NOT_ZERO)).ravel()
    mean = float(relative.mean()) if relative.size else 0.0
    largest = float(relative.max(initial=0.0))
    detail = f"relative error: mean {mean:g} (below {threshold:g}), largest {largest:g} (below {10 * threshold:g})"
    return Outcome(mean < threshold and largest < 10 * threshold, detail)


# ---- close: rtol, and a share of misses, which by default may be as large as rtol ----


def _close(actual: Floats, golden: Floats, dtype: str, tolerance: Tolerance) -> Outcome:
    near = _same(actual, golden)
    near |= np.abs(actual - golden) <= tolerance.atol + tolerance.rtol * np.abs(golden)
    misses = int((~near).sum())
    share = misses / near.size if near.size else 0.0
    strange = int((~near & ~np.isfinite(actual)).sum())
    passed = share <= tolerance.misses
    warnings = (f"close lets {strange} NaN or infinity pass as misses",) if passed and strange else ()
    detail = f"{misses} of {near.size} elements miss rtol {tolerance.rtol:g}, atol {tolerance.atol:g}"
    return Outcome(passed, f"{detail}; {tolerance.misses:.2%} may", warnings)


# ---- cosine: the angle between the two tensors, taken as vectors; it does not see a wrong scale on its own ----


def _cosine(actual: Floats, golden: Floats, dtype: str, tolerance: Tolerance) -> Outcome:
    a, g = actual.ravel(), golden.ravel()
    peak = max(float(np.abs(a).max(initial=0.0)), float(np.abs(g).max(initial=0.0)))
    if peak == 0.0:
        return Outcome(True, "both are zero")
    a, g = a / peak, g / peak
    lengths = float(np.sqrt((a * a).sum()) * np.sqrt((g * g).sum()))
    angle = float((a * g).sum()) / lengths if lengths else 0.0
    needed = 1.0 - tolerance.rtol
    return Outcome(angle >= needed, f"cosine {angle:.6f} ({needed:g} needed)")


# ---- rtol_equal, as torch_npu's tests compare, and assert_close, as torch.testing does ----

_CLOSE = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def _rtol_equal(actual: Floats, golden: Floats, dtype: str, tolerance: Tolerance) -> Outcome:
    """Fails only if both the relative and the absolute test miss somewhere, and one of them misses too often."""
    limit, not_zero = (1e-3, 6e-8) if dtype in ("float16", "bfloat16") else (1e-4, 10e-10)
    nan = np.isnan(golden)
    if not np.array_equal(nan, np.isnan(actual)):
        return Outcome(False, "NaN is not in the same places")
    error = np.where(nan | (actual == golden), 0.0, np.abs(actual - golden))
    relative = error / (np.maximum(np.abs(actual), np.abs(golden)) + not_zero)
    far, off = int((~nan & ~(error <= limit)).sum()), int((~nan & ~(relative <= limit)).sum())
    off -= int((~nan & (error == 0) & ~(relative <= limit)).sum())  # equal infinities
    allowed = golden.size * limit
    passed = not (far and off) or (far <= allowed and off <= allowed)
    return Outcome(passed, f"{off} relative and {far} absolute misses of {limit:g}; {allowed:g} may")


def _assert_close(actual: Floats, golden: Floats, dtype: str, tolerance: Tolerance) -> Outcome:
    rtol, atol = _CLOSE[dtype]
    near = (actual == golden) | (np.abs(actual - golden) <= atol + rtol * np.abs(golden))
    misses = int((~near).sum())
    return Outcome(
        misses == 0, f"{misses} of {near.size} elements beyond {atol:g} + {rtol:g} |expected|; NaN never passes"
    )


RULES: Mapping[str, Rule | None] = {  # None: equal bits
    "mixed@ttk": partial(_mixed, _TTK),
    "mixed@tilelang": partial(_mixed, _TILELANG),
    "stat_rel_err": _relative,
    "stat_rel_err+small": _relative_or_small,
    "close": _close,
    "cosine": _cosine,
    "binary": None,
    "rtol_equal": _rtol_equal,
    "assert_close": _assert_close,
}
