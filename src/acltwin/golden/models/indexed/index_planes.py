"""One plane's indices are used for another plane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acltwin.golden.models.indexing import reindexed
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="The first plane, n or channel is right; in the others, values go to the positions of the first.",
    arises="The offset of the plane is missing when indices are read. A test with one plane does not notice.",
    wrong="index = indices[cell]",
    right="index = indices[plane * cells + cell]",
    fix="Advance the pointer to the indices from plane to plane, like the pointer to the values; test with several "
    "different planes.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    return (
        Model("first plane's indices", "layout", "every plane uses the indices of the first", _first),
        Model("first batch's indices", "layout", "every n uses the indices of n = 0", _first_batch),
        Model(
            "indices of the first of the leading axis",
            "layout",
            "all along the leading axis, which may be C, use the indices of its first",
            _leading,
            cost=1.02,
        ),
        Model("first channel's indices", "layout", "every channel uses the indices of the first", _first_channel),
        Model("next plane's indices", "layout", "every plane uses the indices of the next one", _rolled(-1)),
        Model("indices of the plane before", "layout", "every plane uses the indices of the one before", _rolled(1)),
    )


def _first(view: View) -> Prediction:
    return reindexed(view, np.broadcast_to(view.indices[:1], view.indices.shape))


def _first_batch(view: View) -> Prediction:
    parts = view.indices.reshape(view.batches[0], -1)
    return reindexed(view, np.broadcast_to(parts[:1], parts.shape).reshape(view.indices.shape))


def _leading(view: View) -> Prediction:
    parts = view.indices.reshape(view.batch[0], -1)
    return reindexed(view, np.broadcast_to(parts[:1], parts.shape).reshape(view.indices.shape))


def _first_channel(view: View) -> Prediction:
    parts = view.indices.reshape(*view.batches, -1)
    return reindexed(view, np.broadcast_to(parts[:, :1], parts.shape).reshape(view.indices.shape))


def _rolled(step: int) -> Callable[[View], Prediction]:
    return lambda view: reindexed(view, np.roll(view.indices, step, 0))
