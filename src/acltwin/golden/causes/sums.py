"""What every operator that adds can get wrong about its sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, rounded
from acltwin.golden.cases.family import family_of, gathers, weighs
from acltwin.golden.cases.products import Taps, product, summed, taps_of, weighed
from acltwin.golden.causes.index_rule import apply, documented_rule
from acltwin.golden.causes.model import Catalogue, Model, Prediction, model
from acltwin.golden.causes.predictions import directed
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Bound, Limits, limits
from acltwin.golden.judge.expected import weighed_result
from acltwin.ops.spec import OpSpec

common = Catalogue("common")


@common.cause(
    "The sources of a cell are not added, but combined in another way",
    looks="Cells with one source are right, cells with several are not; or every sign, or every number, is wrong in "
    "the same way.",
    arises="A scatter assigns where it should add, or a gradient is divided as in an average.",
    wrong="grad_input[index] = grad_output[o]",
    right="grad_input[index] += grad_output[o]",
    fix="Add every source of a cell once, with its sign; divide nothing.",
)
def combining(spec: OpSpec) -> Iterator[Model]:
    yield model("negated", "accumulation", "every value is negated", lambda view: view.documented_on(-view.x))
    for name, words, lost in (
        ("negative values lost", "negative values count as 0", lambda x: x < 0),
        ("only positive values", "whatever is not above 0 counts as 0, NaN too", lambda x: ~(x > 0)),
    ):
        yield model(name, "accumulation", words, _without, lost)
    words = "the magnitudes of the values are taken"
    yield model("signs lost", "accumulation", words, lambda view: view.documented_on(np.abs(view.x)))
    for name, sentence, predict, observed, cost in _COMBINED if gathers(spec) else ():
        documented = "sum" if observed else ""
        yield Model(name, "accumulation", sentence, predict, documented=documented, observed=observed, cost=cost)
    if gathers(spec) and family_of(spec).by_axes:
        yield model(
            "divided by the factors",
            "accumulation",
            "the sum is divided by the product of the factors",
            lambda view: _divided(view, _factors(view)),
            documented="sum",
            observed="sum / (s_d s_h s_w)",
            cost=1.06,
        )


def _without(view: View, lost: Callable[[Array], Array]) -> Prediction:
    return view.documented_on(np.where(lost(view.x), view.x.dtype.type(0), view.x))


def _last(view: View) -> Prediction:
    return view.exactly(view.folded(lambda total, source: source))


def _first(view: View) -> Prediction:
    return view.exactly(view.folded(lambda total, source: source, reverse=True))


def _largest(view: View) -> Prediction:
    """Whether a cell holds minus infinity or nothing, a kernel that starts from it cannot know."""
    best = view.folded(np.maximum, start=-np.inf)
    empty = _count(view) == 0
    exact = view.exactly(np.where(empty, 0.0, best))
    unclear = view.shaped(np.isneginf(best) & ~empty)
    return Limits(exact, exact, np.zeros(exact.shape), ~unclear)


def _divided(view: View, by: Array | float) -> Prediction:
    """The sum, divided in float64, in float32, or after it was rounded to the dtype."""
    single = np.asarray(by, np.float64).astype(np.float32).astype(np.float64)

    def short(sums: Array) -> Array:
        return view.exactly_shaped(sums).astype(np.float64)

    return view.any_of(
        lambda sums: view.exactly_shaped(sums / by),
        lambda sums: view.exactly_shaped((sums / by).astype(np.float32).astype(np.float64)),
        lambda sums: view.exactly_shaped(short(sums) / by),
        lambda sums: view.exactly_shaped((short(sums) / single).astype(np.float32).astype(np.float64)),
    )


def _factors(view: View) -> float:
    rule = documented_rule(view)
    scales = rule.used_scales(view.scales)
    sizes = zip(view.source, view.result, scales, strict=True)
    return math.prod(float(np.float32(scale) if scale else np.float32(large / small)) for large, small, scale in sizes)


def _count(view: View) -> Array:
    return view.folded(lambda total, source: total + 1)


def _with_first(view: View, factor: float) -> Prediction:
    changed = np.ascontiguousarray(view.x).copy()
    if view.ranked:
        first = view.ranked[0][1]
        changed.reshape(-1)[first] = changed.reshape(-1)[first] * factor if factor else 0.0
    return view.documented_on(changed)


def _without_last(view: View) -> Prediction:
    changed = np.ascontiguousarray(view.x).copy()
    last = np.full(_count(view).shape, -1, np.int64)
    for cells, sources in view.ranked:
        last[cells] = sources
    changed.reshape(-1)[last[last >= 0]] = 0.0
    return view.documented_on(changed)


def _mean(view: View) -> Prediction:
    return _divided(view, np.maximum(view.documented.count, 1))


def _by_ratio(view: View) -> Prediction:
    return _divided(view, math.prod(view.source) / math.prod(view.result))


def _magnitude(view: View) -> Prediction:
    return view.through(lambda sums: view.exactly_shaped(np.abs(sums)))


_KEPT = "a cell keeps the {} of its sources instead of their sum"
_COMBINED: tuple[tuple[str, str, Callable[[View], Prediction], str, float], ...] = (
    ("last one stays", _KEPT.format("last"), _last, "last source", 1.0),
    ("first one stays", _KEPT.format("first"), _first, "first source", 1.0),
    ("largest one stays", _KEPT.format("largest"), _largest, "maximum", 1.0),
    ("mean", "a cell holds the mean of its sources instead of their sum", _mean, "sum / count", 1.0),
    (
        "divided by the ratio",
        "the sum is divided by the ratio of the planes' sizes",
        _by_ratio,
        "sum * result / source",
        1.05,
    ),
    ("last source lost", "the last source of every cell is lost", _without_last, "", 1.1),
    ("first source lost", "the first source of every cell is lost", partial(_with_first, factor=0), "", 1.1),
    ("doubled", "every source is added twice", lambda view: view.documented_on(2 * view.x), "", 1.0),
    ("first source doubled", "the first source of every cell is added twice", partial(_with_first, factor=2), "", 1.1),
    ("sign of the sum lost", "the result is the magnitude of the sum", _magnitude, "", 1.1),
)


@common.cause(
    "Intermediate sums are rounded to the dtype",
    looks="16-bit dtypes fail where cells have several sources, by a few units in the last place; float32 passes.",
    arises="The accumulator has the dtype of the tensor, or the sums over one axis are stored before the next axis is "
    "added.",
    wrong="total = half(0); total += x",
    right="total = float(0); total += float(x); out = half(total)",
    fix="Widen every value first, add in float32 and round once at the end.",
)
def narrow_sums(spec: OpSpec) -> Iterator[Model]:
    if weighs(spec):
        yield from _narrow_weighted(spec)
    if not gathers(spec):
        return
    documented = "float32 sums, rounded once"
    for order in ("ascending", "descending"):
        yield model(
            f"adds in the dtype, {order}",
            "accumulation",
            "sums are accumulated in the 16-bit dtype instead of float32",
            _narrow,
            order == "descending",
            documented=documented,
            observed="a rounding after every addition",
        )
    for name in ("float16", "bfloat16"):
        yield model(
            f"adds in {name}",
            "accumulation",
            f"sums are accumulated in {name}",
            _in,
            name,
            documented=documented,
            observed=f"a rounding to {name} after every addition",
            cost=1.1,
        )
    yield model(
        "float32 inside",
        "accumulation",
        "float64 sums are computed in float32",
        _single,
        documented="float64 sums",
        observed="float32 sums",
    )
    if not family_of(spec).by_axes:
        return
    count = len(spec.axes)
    for name, axes in (("last axis first", range(count - 1, -1, -1)), ("first axis first", range(count))):
        yield model(
            f"rounds after every axis, {name}",
            "rounding",
            "sums are rounded to the dtype after every axis instead of once",
            _per_axis,
            tuple(axes),
            documented=documented,
            observed="a rounding after every axis",
        )


def _narrow_weighted(spec: OpSpec) -> Iterator[Model]:
    documented = "float32 sums, rounded once"
    for order in ("ascending", "descending"):
        for by, words in ((True, "over all sources of a cell"), (False, "along one axis after the other")):
            name = f"adds in the dtype, {order}{'' if by else ', by axes'}"
            sentence = f"sums are accumulated in the 16-bit dtype instead of float32, {words}"
            given = order == "descending", by
            yield model(name, "accumulation", sentence, _short_sums, *given, documented=documented, observed="16 bits")
    sentence = "sums are {} after every axis instead of once"
    if len(spec.axes) > 1:
        for back, words in ((False, "first axis first"), (True, "last axis first")):
            name = f"rounds after every axis, {words}"
            for suffix, how, kind, direction in _AXIS_ROUNDINGS:
                text, cost = sentence.format(how), 1.05 if suffix else 1.0
                yield model(f"{name}{suffix}", "rounding", text, _rounded_axes, back, kind, direction, cost=cost)
    for which, place in (("first", 0), ("last", -1)):
        words = f"the {which} source of every cell is left out along each axis"
        yield model(f"{which} source left out", "border", words, _of_some, False, place, cost=1.1)
        words = f"a cell keeps the {which} of its sources instead of their sum"
        yield model(f"{which} source stays", "accumulation", words, _of_some, True, place, cost=1.1)
    sentence = "sums, weights or divisors have only the 16 bits of the dtype"
    yield model("16 bits on the way", "rounding", sentence, _within_16_bits, documented=documented, cost=1.7)
    yield model("float32 inside", "accumulation", "float64 sums are computed in float32", _single)


def _some(kept: bool, place: int) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """The first or last weight of each row alone, or all but that where there are several."""

    def change(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        one = np.zeros_like(weights)
        for row, full in zip(one, weights, strict=True):
            used = np.flatnonzero(full)
            if len(used) > 1 or (kept and len(used)):
                row[used[place]] = full[used[place]]
        return one if kept else weights - one

    return change


def _of_some(view: View, kept: bool, place: int) -> Prediction:
    change = _some(kept, place)
    tables = [replace(table, weights=change(table.weights)) for table in view.tables]
    return weighed_result(view.x, tables, view.case.dtype, view.channels_last)


def _short_sums(view: View, reverse: bool, by_cells: bool) -> Prediction:
    if view.dtype.bits > 11:
        return None
    kind, values = view.dtype.dtype, view.x.astype(np.float32)
    taps = [taps_of(table.weights, values.dtype, reverse) for table in view.tables]
    return view.exactly(_added(values, taps, by_cells, lambda old, new: (old + new).astype(kind).astype(np.float32)))


def _added(values: Array, taps: list[Taps], by_cells: bool, add: Callable[[Array, Array], Array]) -> Array:
    full = values.reshape(*(1,) * (2 + len(taps) - values.ndim), *values.shape)
    if by_cells:
        return summed(full, taps, add)
    for axis, one in enumerate(taps):
        full = np.moveaxis(summed(np.moveaxis(full, 2 + axis, 2), [one], add), 2, 2 + axis)
    return full


_AXIS_ROUNDINGS = (  # of the last axis too, if the dtype is the tensor's
    ("", "rounded to the dtype", "", ""),
    (", cut off", "cut off to the dtype", "", "toward zero"),
    (", to float16", "rounded to float16", "float16", ""),
    (", to bfloat16", "rounded to bfloat16", "bfloat16", ""),
)


def _rounded_axes(view: View, back: bool, kind: str, direction: str) -> Prediction:
    """With all that a right kernel may make of each axis."""
    dtype = facts(kind) if kind else view.dtype
    if dtype.bits > 11:
        return None
    value = view.x.reshape(*(1,) * (2 + view.axes - view.x.ndim), *view.x.shape)
    error, order = np.zeros(value.shape), list(range(view.axes))
    for axis in reversed(order) if back else order:
        table, place = view.tables[axis], 2 + axis
        weights = np.abs(table.weights)
        steps = (table.reached.sum(1, keepdims=True) + 2) * 2.0**-24
        rows, errors = np.moveaxis(value, place, -1), np.moveaxis(error, place, -1)
        sums = weighed([table.weights], rows)
        finite = np.where(np.isfinite(rows), np.abs(rows), 0.0)
        off = product([weights], errors) + product([table.doubt + steps * weights], finite)
        ends = [
            directed(end, dtype, direction) if direction else rounded(end, dtype.dtype)
            for end in (sums - off, sums + off)
        ]
        low, high = (np.moveaxis(end.astype(np.float64), -1, place) for end in ends)
        value, error = (low + high) / 2, np.nan_to_num((high - low) / 2, posinf=0.0)
    return view.between(view.shaped(value), view.shaped(error))


def _within_16_bits(view: View) -> Prediction:
    return limits(view.documented, Bound(accumulate="native")) if view.dtype.bits <= 11 else None


def _narrow(view: View, reverse: bool) -> Prediction:
    if view.dtype.bits > 11:
        return None
    kind = view.dtype.dtype
    return view.exactly(view.folded(lambda total, source: _round(total + source, kind), reverse))


def _in(view: View, name: str) -> Prediction:
    """Whatever the dtype of the tensors is."""
    if view.dtype.name == name or view.dtype.bits == 53:
        return None
    kind = facts(name).dtype
    return view.exactly(view.folded(lambda total, source: _round(total + _round(source, kind), kind)))


def _single(view: View) -> Prediction:
    if view.dtype.name != "float64":
        return None
    expected = view.documented_on(view.x.astype(np.float32).astype(np.float64))
    expected.dtype = "float32"
    return expected


def _per_axis(view: View, order: tuple[int, ...]) -> Prediction:
    if view.dtype.bits > 11:
        return None
    matrices, values = documented_rule(view).matrices(view), view.x
    for axis in order:
        sizes = values.shape[values.ndim - len(matrices) :]
        one = [matrices[axis] if number == axis else np.eye(size) for number, size in enumerate(sizes)]
        values = _round(apply(one, values), view.dtype.dtype)
    return view.exactly(values)


def _round(values: Array, kind: np.dtype[Any]) -> Array:
    return rounded(values, kind).astype(np.float64)


@common.cause(
    "Additions to the same cell overwrite each other",
    looks="Cells with one source are right. In others, some sources are missing, depending on their order or on the "
    "block in which they were read. On a device, the missing ones may change from run to run.",
    arises="Several lanes or cores read, add to and write a cell at the same time; or a block overwrites the sums of "
    "the previous block.",
    wrong="total[index] = total[index] + values      # a vector of indices that repeat",
    right="atomic_add(total[index], values)",
    fix="Use atomic additions, or assign every cell to one lane that collects its sources.",
)
def lost_updates(spec: OpSpec) -> Iterator[Model]:
    if not gathers(spec):
        return
    for k in (1, 2):
        words = f"addition number {k + 1} to each cell is lost"
        yield model(f"addition {k + 1} lost", "accumulation", words, _losing, _rank(k), cost=1.1)
    for k in range(2, 9):
        words = f"one of every {k} additions to a cell is lost"
        yield model(f"every {k}. addition lost", "accumulation", words, _losing, _every(k), cost=1.1)
    for size in (2, 4, 8, 16, 32, 64, 128, 256):
        for keeps in ("last", "first"):
            yield model(
                f"vectors of {size}, {keeps} kept",
                "accumulation",
                f"only the {keeps} of several additions to a cell within {size} neighbouring sources counts",
                _losing,
                _vectors(size, keeps == "first"),
                cost=1.1,
            )
        words = f"a block of {size} sources overwrites what the blocks before it added to a cell"
        yield model(f"blocks of {size} overwrite", "tiling", words, _losing, _overwritten(size), cost=1.2)


Lost = Callable[[View], NDArray[np.bool_]]
"""(planes, sources): which sources do not arrive."""


def _losing(view: View, lost: Lost) -> Prediction:
    gone = lost(view)
    return view.documented_on(np.where(gone.reshape(view.x.shape), 0.0, view.x)) if gone.any() else None


def _ranks(view: View) -> NDArray[np.int64]:
    """(planes, sources): the how-manieth addition to its cell each one is; -1: to none."""
    rank = np.full(math.prod(view.x.shape), -1)
    for number, (_, sources) in enumerate(view.ranked):
        rank[sources] = number
    return rank.reshape(view.owners.shape)


def _rank(number: int) -> Lost:
    return lambda view: _ranks(view) == number


def _every(step: int) -> Lost:
    return lambda view: _ranks(view) % step == step - 1


def _vectors(size: int, keep_first: bool) -> Lost:
    def lost(view: View) -> NDArray[np.bool_]:
        owners = view.owners
        block = np.arange(owners.shape[1]) // size
        plane = np.arange(len(owners))[:, None]
        groups = ((plane * (int(block[-1]) + 1) + block) * math.prod(view.result) + owners).ravel()
        kept = np.zeros(groups.size, bool)
        kept[np.unique(groups if keep_first else groups[::-1], return_index=True)[1]] = True
        return ~(kept if keep_first else kept[::-1]).reshape(owners.shape) & (owners >= 0)

    return lost


def _overwritten(size: int) -> Lost:
    def lost(view: View) -> NDArray[np.bool_]:
        owners = view.owners
        block = np.broadcast_to(np.arange(owners.shape[1]) // size, owners.shape)
        last = np.full((len(owners), math.prod(view.result)), -1)
        plane = np.broadcast_to(np.arange(len(owners))[:, None], owners.shape)
        used = owners >= 0
        np.maximum.at(last, (plane[used], owners[used]), block[used])
        return used & (block < last[plane, np.maximum(owners, 0)])

    return lost
