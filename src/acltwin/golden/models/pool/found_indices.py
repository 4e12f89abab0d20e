"""Indices of maxima do not fit into the type that holds them."""

from __future__ import annotations

from collections.abc import Callable

from acltwin.golden.models.model import Maxima, Model, Page, Prediction
from acltwin.golden.models.narrow_indices import NARROW, Change
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="All values are right; indices are right in small planes and wrong from 128, 256, 2048 or 32768 cells on.",
    arises="An index is kept in int8, int16 or a 16-bit float, or counts from the start of a tile.",
    wrong="half best_index = half(index)",
    right="int32_t best_index = index       # from the beginning of the plane",
    fix="Keep indices in the type of the result and add the tile's offset; test with planes of more than 2^15 cells.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    if spec.is_gradient:
        return ()
    return tuple(
        Model(
            f"found {narrow.name}",
            "index rule",
            f"the found {narrow.sentence}",
            _writing(narrow.change),
            documented="the whole index",
            observed=narrow.observed,
            cost=narrow.cost,
        )
        for narrow in NARROW
    )


def _writing(change: Change) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        found = view.documented.indices
        assert found is not None
        held = change(found.astype("int64"))
        return Maxima(view.exactly_shaped(view.documented.value), held.astype(found.dtype), held != held)

    return predict
