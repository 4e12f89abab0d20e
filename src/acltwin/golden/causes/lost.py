"""Cells of the result that a kernel does not compute, and what stands in them instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, poisoned
from acltwin.golden.cases.family import family_of
from acltwin.golden.causes.model import FaultClass, Maxima, Model, Prediction, model
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Bound, limits
from acltwin.ops.spec import OpSpec

Mask = NDArray[np.bool_]
Keep = Callable[[View], Mask | None]
"""The cells that are computed, channels first, to be broadcast to the result; None: all of them."""


def finds_indices(spec: OpSpec) -> bool:
    return any(argument.role == "output" and argument.holds == "indices" for argument in spec.arguments)


def losing(
    spec: OpSpec, name: str, cause: FaultClass, cells: str, keep: Keep, cost: float, stale: FaultClass | None = None
) -> Iterator[Model]:
    """``cells``, the subject of the sentence, are lost: 0, or whatever was in the memory.

    ``stale`` is the class of the second, if it is another one.
    """
    yield model(f"{name} lost", cause, f"{cells} are not computed: they stay 0", _zero, keep, True, True, cost=cost)
    if finds_indices(spec):
        for which in ("values", "indices"):
            sentence = f"the {which} of {cells} are not written: they stay 0"
            both = which == "values", which == "indices"
            yield model(f"{which} of {name} lost", cause, sentence, _zero, keep, *both, cost=cost + 0.01)
    sentence = f"{cells} are not written: they hold what was in the memory"
    yield model(f"{name} stale", stale or cause, sentence, _stale, keep, cost=cost + 0.2)


def not_reading(view: View, kept: Mask) -> Prediction:
    """The result if some sources are not there: they add nothing, and no maximum is found among them."""
    missing = 0.0 if view.spec.is_gradient else family_of(view.spec).unread
    return view.documented_on(np.where(kept, view.x, np.array(missing).astype(view.x.dtype)))  # integers stay whole


def _possible(view: View, kept: Mask) -> bool:
    """Quickly: something is lost here, and nothing else is wrong."""
    return not kept.all() and not (view.wrong & kept).any()


def _kept(view: View, keep: Keep) -> Mask | None:
    mask = keep(view)
    if mask is None:
        return None
    kept = np.broadcast_to(mask, (*view.batch, *view.result))
    return kept if _possible(view, kept) else None


def _zero(view: View, keep: Keep, values: bool, indices: bool) -> Prediction:
    kept = _kept(view, keep)
    if kept is None:
        return None
    lost = view.moved(lambda cells: np.where(kept, cells, 0).astype(cells.dtype))
    if not indices:
        lost.indices = view.documented.indices
    if not values:
        lost.value = view.documented.value
    return lost


def _stale(view: View, keep: Keep) -> Prediction:
    """Memory that was not written holds one number everywhere; which one, the output says."""
    kept = _kept(view, keep)
    if kept is None:
        return None
    observed = view.observed()
    if observed is None:
        if _alike(view.documented_value[~kept]):
            return None  # that number may have been the right one
        return tuple(poisoned(facts(dtype).dtype, shape) for dtype, shape in view.case.result_shapes())
    if not _one_number(observed[~kept]):
        return None
    laid = view.laid(kept)
    documented = view.documented
    if documented.indices is None:
        allowed = limits(documented, Bound())
        return replace(allowed, judged=np.asarray(allowed.judged & laid))
    values = np.where(laid, view.exactly_shaped(documented.value).astype(np.float64), view.laid(observed))
    return Maxima(view.exactly_shaped(values), documented.indices, ~laid)


def _one_number(values: Array) -> bool:
    return _alike(values) and values[0] != 0  # 0 is another model


def _alike(values: Array) -> bool:
    first = values[0]
    return bool((np.isnan(values) if first != first else values == first).all())
