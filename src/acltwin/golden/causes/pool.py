"""What max pooling and its gradient can get wrong about maxima and their indices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.causes.indexing import NARROW, Change, Places, reindexed
from acltwin.golden.causes.model import Catalogue, FaultClass, Maxima, Model, Prediction, exchanges, model
from acltwin.golden.causes.view import View, along
from acltwin.golden.causes.windows import Choice, answer, pooled, window_of
from acltwin.ops.spec import OpSpec

pool = Catalogue("pool")


@pool.cause(
    "A gradient searches for the maximum again, and finds another cell",
    looks="Data without ties, NaN or padding pass. Where several cells are equal or NaN, or a window extends beyond "
    "the plane, the gradient goes to another cell of its window.",
    arises="The kernel searches for the maximum again instead of using the indices of the forward pass, and treats "
    "ties, NaN or padding differently.",
    wrong="index = argmax(window)                     # again",
    right="grad_input[indices[o]] += grad_output[o]",
    fix="Use the given indices; only the shape of `self` matters.",
)
def argmax(spec: OpSpec) -> Iterator[Model]:
    first = "and the first of several wins, NaN never"
    for name, words, choice, cost in (
        ("first", first, Choice(), 1.0),
        ("first, or the first cell", first, Choice(nothing="first"), 1.0),
        ("first, or cell 0", first, Choice(nothing="zero"), 1.0),
        ("last", "and the last of several wins", Choice(last=True), 1.0),
        ("first NaN", "and the first NaN wins", Choice(nan="first"), 1.0),
        ("last, first NaN", "and the last of several, but the first NaN, wins", Choice(last=True, nan="first"), 1.1),
        ("last, last NaN", "and the last of several, and the last NaN, wins", Choice(last=True, nan="last"), 1.1),
        ("magnitude", "by magnitude", Choice(magnitude=True, nan="last"), 1.1),
        ("bfloat16", "in bfloat16", Choice(narrow="bfloat16", nan="last"), 1.0),
        ("float16", "in float16", Choice(narrow="float16", nan="last"), 1.0),
        ("zero padding", "with zeros as padding", Choice(zero_padding=True, nan="last"), 1.0),
        ("minimum", "and it is the minimum", Choice(minimum=True, nan="last"), 1.1),
    ):
        if spec.is_gradient:
            yield model(
                f"finds the maximum again: {name}",
                "index rule",
                f"the indices are not used: the maximum is looked for again, {words}",
                _again,
                choice,
                documented="the given indices",
                observed=f"{words}, in self",
                cost=cost,
            )


def _again(view: View, choice: Choice) -> Prediction:
    _, places = pooled(view, window_of(view), choice)
    return reindexed(view, places.reshape(view.indices.shape))


@pool.cause(
    "Gradients are divided as in average pooling",
    looks="Every cell holds its sum divided by the number of cells in a window.",
    arises="The kernel was derived from one for average pooling.",
    wrong="grad_input[index] += grad_output[o] / (kd * kh * kw)",
    right="grad_input[index] += grad_output[o]",
    fix="Add the whole gradient to the one cell that the index names.",
)
def averaged(spec: OpSpec) -> Iterator[Model]:
    ways = ((", in its dtype", True, 1.0), (", in float32", False, 1.02))
    for words, rounds, cost in ways if spec.is_gradient else ():
        yield model(
            f"divided by the window{words}",
            "accumulation",
            f"each gradient is divided by the number of cells in a window{words}",
            _divided,
            rounds,
            documented="the gradient",
            observed="gradient / (kd * kh * kw)",
            cost=cost,
        )


def _divided(view: View, rounds: bool) -> Prediction:
    window = window_of(view)
    sizes = np.ones(view.source)
    begins, ends = window.begins(view.source, view.result), window.ends(view.source, view.result)
    for axis, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        cells = end - begin if window.adaptive else np.full(view.source[axis], window.kernel[axis])
        sizes = sizes * along(axis, view.axes, cells)
    shares = view.x / sizes
    kept = shares.astype(view.dtype.dtype if rounds else "float32").astype("float64")
    return view.documented_on(kept)


@pool.cause(
    "Indices of maxima do not fit into the type that holds them",
    looks="All values are right; indices are right in small planes and wrong from 128, 256, 2048 or 32768 cells on.",
    arises="An index is kept in int8, int16 or a 16-bit float, or counts from the start of a tile.",
    wrong="half best_index = half(index)",
    right="int32_t best_index = index       # from the beginning of the plane",
    fix="Keep indices in the type of the result and add the tile's offset; test with planes of more than 2^15 cells.",
)
def found_indices(spec: OpSpec) -> Iterator[Model]:
    for narrow in NARROW if spec.makes_indices else ():
        yield model(
            f"found {narrow.name}",
            "index rule",
            f"the found {narrow.sentence}",
            _narrow_found,
            narrow.change,
            documented="the whole index",
            observed=narrow.observed,
            cost=narrow.cost,
        )


def _narrow_found(view: View, change: Change) -> Prediction:
    found = _found(view)
    held = change(found.astype("int64"))
    return Maxima(view.exactly_shaped(view.documented.value), held.astype(found.dtype), held != held)


def _found(view: View) -> NDArray[np.integer]:
    """The documented indices."""
    indices = view.documented.indices
    assert indices is not None
    return indices


@pool.cause(
    "Indices of maxima are numbered in another way",
    looks="All values are right. All indices are wrong, or all except those of the first plane.",
    arises="An index counts the cells of its own plane, without padding, row by row, from 0. Kernels count in the "
    "window, in the padded plane, across all planes, from 1 or by columns.",
    wrong="index = (kd * KH + kh) * KW + kw",
    right="index = (d * H + h) * W + w         # of the cell, in the plane without padding",
    fix="Compute the index from the coordinates of the cell that won.",
)
def index_numbering(spec: OpSpec) -> Iterator[Model]:
    if not spec.makes_indices:
        return
    for name, sentence, change in (
        ("index in the window", "indices count inside the window, not in the plane", _in_window),
        ("index of the window", "the window's first cell is given as the index", _window_start),
        ("index in the padded plane", "indices count in the padded plane", _in_padded),
        ("index over all planes", "indices count from the first plane, not from their own", _over_planes),
        ("index over all channels", "indices count from the first channel of their n", _over_channels),
        ("index from 1", "indices count from 1", lambda view, places: places + 1),
    ):
        yield model(name, "index rule", sentence, _renumbered, change)
    for words, order in exchanges(spec):
        yield model(f"index with {words}", "layout", f"indices count with {words}", _renumbered, _in_order(order))


Numbering = Callable[[View, Places], Places]


def _renumbered(view: View, change: Numbering) -> Prediction:
    best, places = pooled(view, window_of(view))
    return answer(view, best, change(view, places))


def _in_window(view: View, places: Places) -> Places:
    window = window_of(view)
    result = np.zeros_like(places)
    for axis, place in enumerate(np.unravel_index(np.maximum(places, 0), view.source)):
        begin = window.begins(view.result, view.source)[axis]
        tap = (place - along(axis, view.axes, begin)) // window.dilation[axis]
        result = result * window.kernel[axis] + tap
    return result


def _window_start(view: View, places: Places) -> Places:
    """A window that begins in the padding is taken to begin with the plane."""
    address = np.zeros((), np.int64)
    for axis, begin in enumerate(window_of(view).begins(view.result, view.source)):
        address = address * view.source[axis] + along(axis, view.axes, np.maximum(begin, 0))
    return np.broadcast_to(address, places.shape)


def _in_padded(view: View, places: Places) -> Places:
    window = window_of(view)
    result = np.zeros_like(places)
    for axis, place in enumerate(np.unravel_index(np.maximum(places, 0), view.source)):
        size = view.source[axis] + 2 * window.padding[axis]
        result = result * size + place + window.padding[axis]
    return result


def _over_planes(view: View, places: Places) -> Places:
    planes = np.arange(math.prod(view.batch)).reshape(*view.batch, *(1,) * view.axes)
    return places + planes * math.prod(view.source)


def _over_channels(view: View, places: Places) -> Places:
    channels = np.arange(view.batch[-1]).reshape(-1, *(1,) * view.axes)
    return places + channels * math.prod(view.source)


def _in_order(order: tuple[int, ...]) -> Numbering:
    def change(view: View, places: Places) -> Places:
        place = np.unravel_index(np.maximum(places, 0), view.source)
        sizes = tuple(view.source[axis] for axis in order)
        return np.ravel_multi_index(tuple(place[axis] for axis in order), sizes)

    return change


@pool.cause(
    "A pooling chooses another cell of the window",
    looks="Data without ties, NaN and negative numbers pass. Windows of negative numbers give 0, or NaN is lost, or "
    "close values are treated as equal.",
    arises="The maximum starts at 0 instead of minus infinity, padding counts as 0, or the comparison is false for NaN "
    "or made in a narrower type.",
    wrong="best = 0; if x > best: best, index = x, i",
    right="best = -inf; if x > best or isnan(x): best, index = x, i",
    fix="Start from minus infinity, ignore padding, let NaN win; test with negative values, ties and NaN.",
)
def maximum(spec: OpSpec) -> Iterator[Model]:
    if spec.is_gradient:
        return
    for name, cause, sentence, choice, cost in _CHOICES:
        yield model(name, cause, sentence, _chosen, choice, cost=cost)
    if not spec.makes_indices:
        words = "a window of padding alone gives 0, not the lowest number"
        yield model("padding alone is 0", "initialisation", words, _nothing_is_zero)
        return
    for name in ("bfloat16", "float16"):
        words = f"values are right, but indices are found by comparing in {name}"
        yield model(f"index found in {name}", "index rule", words, _index_by, Choice(narrow=name, nan="last"))
    for name, test in (("NaN", np.isnan), ("minus infinity", np.isneginf)):
        words = f"where the maximum is {name}, the index is 0"
        yield model(f"no index for {name}", "special values", words, _index_zero, test)
    yield model(
        "starts from another number",
        "initialisation",
        "maxima start from a number that is not below all others",
        _start,
        documented="minus infinity",
        observed="another start",
        cost=1.2,
    )


_ZERO, _OVER = "padding counts as 0", "and NaN is passed over"
_CHOICES: tuple[tuple[str, FaultClass, str, Choice, float], ...] = (
    ("zero padding", "border", f"{_ZERO}, not as minus infinity", Choice(zero_padding=True, nan="last"), 1.0),
    (
        "zero padding, not beyond",
        "border",
        f"{_ZERO}, and what ceil mode adds beyond it as minus infinity",
        Choice(zero_padding=True, beyond_padding=False, nan="last"),
        1.5,
    ),
    ("zero padding, NaN passed over", "border", f"{_ZERO}, {_OVER}", Choice(zero_padding=True), 1.5),
    (
        "last maximum, first NaN",
        "index rule",
        "the last of several maxima gives the index, but the first NaN",
        Choice(last=True, nan="first"),
        1.5,
    ),
    (
        "last maximum, NaN passed over",
        "index rule",
        "the last of several maxima, and never NaN",
        Choice(last=True),
        1.5,
    ),
    ("zero start, NaN passed over", "initialisation", f"maxima start from 0, {_OVER}", Choice(start=0.0), 1.5),
    (
        "zero start",
        "initialisation",
        "maxima start from 0, not from minus infinity",
        Choice(start=0.0, nan="last"),
        1.0,
    ),
    ("NaN never wins", "special values", "NaN is passed over", Choice(), 1.0),
    (
        "NaN compared naively",
        "special values",
        "every comparison with NaN is false: it wins only as the first cell of a window, and then nothing wins over it",
        Choice(nan="naive"),
        1.0,
    ),
    ("NaN forgotten", "special values", "NaN wins, but the next number wins over it", Choice(nan="forgotten"), 1.0),
    ("first NaN", "special values", "the first NaN gives the index, not the last", Choice(nan="first"), 1.0),
    ("last maximum", "index rule", "the last of several maxima gives the index", Choice(last=True, nan="last"), 1.0),
    ("magnitude", "index rule", "magnitudes are compared", Choice(magnitude=True, nan="last"), 1.0),
    ("minimum", "index rule", "the minimum is taken", Choice(minimum=True, nan="last"), 1.0),
    ("bfloat16 comparison", "rounding", "values are compared in bfloat16", Choice(narrow="bfloat16", nan="last"), 1.0),
    ("float16 comparison", "rounding", "values are compared in float16", Choice(narrow="float16", nan="last"), 1.0),
)


def _chosen(view: View, choice: Choice) -> Prediction:
    best, places = pooled(view, window_of(view), choice)
    if (
        choice.zero_padding and view.spec.makes_indices
    ):  # a zero of the image and one of the padding are equal: either may win
        places = np.where(best == 0, -1, places)
    return answer(view, best, places)


def _nothing_is_zero(view: View) -> Prediction:
    best, places = pooled(view, window_of(view))
    return view.exactly(np.where(places < 0, 0, best))


def _index_by(view: View, choice: Choice) -> Prediction:
    _, places = pooled(view, window_of(view), choice)
    indices = _found(view)
    found = view.shaped(places).astype(indices.dtype)
    return Maxima(view.exactly_shaped(view.documented.value), found, found < 0)


def _index_zero(view: View, test: Callable[..., NDArray[np.bool_]]) -> Prediction:
    indices = _found(view)
    found = np.where(test(view.documented.value), 0, indices).astype(indices.dtype)
    return Maxima(view.exactly_shaped(view.documented.value), found, np.zeros(found.shape, bool))


def _start(view: View) -> Prediction:
    """Windows below some number give that number; which one, the output says."""
    if view.observed_arrays is None:
        return None
    right = view.exactly_shaped(view.documented.value)
    found = view.observed_arrays[0].astype(np.float64)
    raised = found > right.astype(np.float64)
    starts = np.unique(found[raised])
    if len(starts) > 1 or not (len(starts) or np.isneginf(right).any()):
        return None
    start = starts[0] if len(starts) else -np.inf  # a number that the dtype does not hold is one of its infinities
    below = right.astype(np.float64) <= start  # an equal one does not win either
    if (found[below] != start).any():
        return None
    return Maxima(np.where(below, view.observed_arrays[0], right), _found(view), below)
