"""What every operator can get wrong about numbers: their rounding, and special ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, Facts
from acltwin.golden.cases.family import adds, family_of, gathers
from acltwin.golden.causes.index_rule import apply, documented_rule
from acltwin.golden.causes.model import Catalogue, Maxima, Model, Prediction, model
from acltwin.golden.causes.predictions import directed, narrowed, to_tf32
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Limits
from acltwin.ops.spec import OpSpec

common = Catalogue("common")


@common.cause(
    "The result is rounded in another way, or twice",
    looks="Errors of one unit in the last place, in 16-bit dtypes, where sums are not exact; everything else passes.",
    arises="A conversion truncates, or rounds ties away from zero; or a value passes through a narrower type.",
    wrong="out = half(bits >> 13)                       # truncates",
    right="out = half(total)                            # to nearest, ties to even, once",
    fix="Convert once, at the end, with an explicit rounding mode; test with ties and with sums that the dtype cannot "
    "hold.",
)
def last_rounding(spec: OpSpec) -> Iterator[Model]:
    nearest = "nearest, ties to even"
    for name, words in _DIRECTIONS if adds(spec) else ():
        for suffix, sums, end, widest, cost in (
            ("", "results", "", 11, 1.0),
            (", float32 too", "float64 sums", ", in every dtype", 24, 1.05),
        ):
            yield model(
                f"rounds {name}{suffix}",
                "rounding",
                f"{sums} are {words} instead of rounded to {nearest}{end}",
                _direction,
                name,
                widest,
                documented=nearest,
                observed=words,
                cost=cost,
            )
    if adds(spec):
        yield model(
            "rounds to either side",
            "rounding",
            "results are rounded to one of the two nearest numbers, but not always the nearer one",
            _either_side,
            documented=nearest,
            observed="at random, or by an unknown rule",
            cost=1.6,
        )
    for name in ("bfloat16", "float16", "tf32", "float32"):
        yield model(
            f"result through {name}",
            "rounding",
            f"results pass through {name} before they reach their dtype",
            _through,
            name,
            documented="one rounding",
            observed=f"a rounding to {name} first",
        )
        yield model(
            f"values read as {name}",
            "rounding",
            f"the values are rounded to {name} before they are used",
            _read,
            name,
            documented="values as they are",
            observed=f"values rounded to {name}",
        )


_DIRECTIONS = (
    ("toward zero", "truncated"),
    ("ties away", "rounded with ties away from zero"),
    ("ties toward zero", "rounded with ties towards zero"),
    ("upward", "rounded up"),
    ("downward", "rounded down"),
    ("away from zero", "rounded away from zero"),
)


def _direction(view: View, name: str, widest: int) -> Prediction:
    if view.dtype.bits > widest:  # such sums round on the way: there is no single rounding to look at
        return None
    if view.dtype.bits > 11:
        exact = directed(view.documented.value, view.dtype, name)
        limits = view.through(lambda sums: exact)
    else:
        limits = view.through(lambda sums: directed(sums, view.dtype, name))
    return None if limits is None else _but_beyond(view, limits)


def _but_beyond(view: View, limits: Limits) -> Limits:
    """Beyond the largest number some roundings stop there and some go to infinity; both have been seen."""
    value = view.documented.value
    beyond = np.isfinite(value) & (np.abs(value) > view.dtype.largest)
    return replace(limits, judged=np.asarray(limits.judged & ~beyond))


def _either_side(view: View) -> Prediction:
    """A sum that the dtype holds comes out as it is."""
    if not view.dtype.is_float:
        return None
    low = view.through(lambda sums: directed(sums, view.dtype, "downward"))
    high = view.through(lambda sums: directed(sums, view.dtype, "upward"))
    assert low is not None
    assert high is not None
    return _but_beyond(view, replace(low, high=high.high))


def _through(view: View, name: str) -> Prediction:
    if name == view.dtype.name or not view.dtype.is_float:
        return None
    if name == "tf32":  # made by hand, so that ties go either way
        return view.any_of(*(_tf32(view, ties) for ties in ("even", "away", "toward zero")))
    return _written(view, lambda sums: view.exactly_shaped(narrowed(sums, name)))


def _tf32(view: View, ties: str) -> Callable[[Array], Array]:
    return lambda sums: view.exactly_shaped(to_tf32(sums, ties))


def _read(view: View, name: str) -> Prediction:
    if name == view.dtype.name:
        return None
    if not view.dtype.is_float:  # whole numbers that the other dtype does not hold
        wide = narrowed(view.x.astype(np.float64), name)
        return view.documented_on(np.clip(wide, view.dtype.lowest, view.dtype.largest)) if name == "float32" else None
    return view.documented_on(narrowed(view.x, name))


@common.cause(
    "NaN, infinities, denormal or very large numbers are changed",
    looks="Only data with special values fail: NaN, infinities, denormal numbers, sums beyond the largest number.",
    arises="A comparison is false for NaN, a product of 0 and an infinity is NaN, a flag flushes denormal numbers to "
    "0, a conversion saturates.",
    wrong="out = max(min(total, 65504), -65504)",
    right="out = half(total)      # beyond the largest number that is an infinity",
    fix="Add special values like any others, and select values instead of multiplying them by 0 or 1.",
)
def special_values(spec: OpSpec) -> Iterator[Model]:
    for name, sentence, change in _CHANGES:
        yield model(f"reads {name}", "special values", f"{sentence} when read", _changed_in, change)
    for name, sentence, change in _CHANGES:
        yield model(f"writes {name}", "special values", f"{sentence} in the result", _changed_out, change)
    if adds(spec):
        yield from _overflowing(spec)
    for number, axis in enumerate(spec.axes):
        for name, test in (("NaN", np.isnan), ("NaN or an infinity", lambda values: ~np.isfinite(values))):
            yield model(
                f"{name} spoils its line along {axis}",
                "special values",
                f"{name} turns everything that is read from its line along {axis} into NaN",
                _spoilt,
                number - len(spec.axes),
                test,
                documented="it reaches only its own cell",
                observed="NaN along the line",
                cost=1.1,
            )
    if family_of(spec).by_axes and gathers(spec):
        every = tuple(range(len(spec.axes)))
        for name, chosen in (("every axis", every), *((axis, (number,)) for number, axis in enumerate(spec.axes))):
            yield model(
                f"0 times infinity along {name}",
                "special values",
                f"NaN and infinities spread along {name}: zeros of a matrix are multiplied with them",
                _spread,
                chosen,
                documented="they reach only their own cell",
                observed="0 * inf = NaN",
                cost=1.1,
            )


def _overflowing(spec: OpSpec) -> Iterator[Model]:
    finite = "the largest finite number"
    words = "a sum beyond the largest number becomes that number, not infinite"
    yield model("saturates", "special values", words, _saturated, documented="infinity", observed=finite)
    if gathers(spec):
        words = "sums overflow in the dtype although they are widened first"
        yield model("overflows on the way", "special values", words, _overflows, cost=1.1)
    words = "a float32 sum beyond the largest number of the dtype becomes that number, not infinite"
    yield model(
        "saturates, but not in float32",
        "special values",
        words,
        _saturated_after_float32,
        documented="infinity",
        observed=finite,
        cost=1.02,
    )


Floats = NDArray[np.float64]
Change = Callable[[Floats, Facts], Floats]


def _flush(values: Floats, dtype: Facts) -> Floats:
    return np.where(np.abs(values) < dtype.smallest_normal, 0.0, values)


def _put(test: Callable[[Floats], NDArray[np.bool_]], value: float | None) -> Change:
    """None: the largest number."""
    return lambda values, dtype: np.where(test(values), dtype.largest if value is None else value, values)


def _clip(values: Floats, dtype: Facts) -> Floats:
    return np.clip(values, -dtype.largest, dtype.largest)


_CHANGES: tuple[tuple[str, str, Change], ...] = (
    ("NaN as 0", "NaN becomes 0", _put(np.isnan, 0.0)),
    ("infinity as the largest number", "an infinity becomes the largest number", _clip),
    (
        "NaN as 0, infinity as the largest number",
        "NaN becomes 0, and an infinity becomes the largest number",
        lambda values, dtype: _clip(np.where(np.isnan(values), 0.0, values), dtype),
    ),
    ("infinity as 0", "an infinity becomes 0", _put(np.isinf, 0.0)),
    ("NaN and infinity as 0", "NaN and infinities become 0", _put(lambda values: ~np.isfinite(values), 0.0)),
    ("infinity as NaN", "an infinity becomes NaN", _put(np.isinf, np.nan)),
    ("NaN as infinity", "NaN becomes infinite", _put(np.isnan, np.inf)),
    ("NaN as -infinity", "NaN becomes minus infinity", _put(np.isnan, -np.inf)),
    ("NaN as the largest number", "NaN becomes the largest number", _put(np.isnan, None)),
    ("denormals as 0", "a denormal number becomes 0", _flush),
    ("minus infinity as infinity", "an infinity loses its sign", _put(np.isinf, np.inf)),
)


def _changed_in(view: View, change: Change) -> Prediction:
    return view.documented_on(change(view.x, view.dtype)) if view.dtype.is_float else None


def _changed_out(view: View, change: Change) -> Prediction:
    def write(sums: Floats) -> Array:
        exact = view.exactly_shaped(sums).astype(np.float64)
        return change(exact, view.dtype).astype(view.dtype.dtype)

    return _written(view, write)


def _written(view: View, rounding: Callable[[Floats], Array]) -> Prediction:
    indices = view.documented.indices
    if indices is None:
        return view.through(rounding)
    return Maxima(rounding(view.documented.value), indices, np.zeros(indices.shape, bool))


def _saturated(view: View) -> Prediction:
    return view.through(lambda sums: _clamped(view, sums, np.isfinite(sums)))


def _saturated_after_float32(view: View) -> Prediction:
    return view.through(lambda sums: _clamped(view, sums, np.isfinite(sums.astype(np.float32))))


def _clamped(view: View, sums: Floats, finite: NDArray[np.bool_]) -> Array:
    exact = view.exactly_shaped(sums).astype(np.float64)
    over = np.isinf(exact) & finite
    return np.where(over, np.copysign(view.dtype.largest, sums), exact).astype(view.dtype.dtype)


def _spoilt(view: View, axis: int, test: Callable[[Floats], NDArray[np.bool_]]) -> Prediction:
    if not view.dtype.is_float:
        return None
    return view.documented_on(np.where(test(view.x).any(axis, keepdims=True), np.nan, view.x))


def _overflows(view: View) -> Prediction:
    if view.dtype.name != "float16":
        return None
    limit = float(view.dtype.largest)

    def step(total: Array, source: Array) -> Array:
        added = total + source
        return np.where(np.abs(added) > limit, np.copysign(np.inf, added), added)

    return view.exactly(view.folded(step))


def _spread(view: View, axes: tuple[int, ...]) -> Prediction:
    """The product as a matrix unit computes it: every weight, zeros included, times every value."""
    if np.isfinite(view.x).all():
        return None
    matrices, values = documented_rule(view).matrices(view), view.x
    first = values.ndim - len(matrices)
    for axis in reversed(range(len(matrices))):
        rows = np.moveaxis(values, first + axis, -1)
        found = apply([matrices[axis]], rows)
        if axis in axes:
            met = np.tensordot((~np.isfinite(rows)).astype(np.float64), matrices[axis] == 0, axes=(-1, 1)) > 0
            found = np.where(met, np.nan, found)
        values = np.moveaxis(found, -1, first + axis)
    return view.exactly(values)
