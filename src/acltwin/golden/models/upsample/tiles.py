"""The remainder of an axis that no whole block covers is left out, or positions beyond a limit."""

from __future__ import annotations

from collections.abc import Callable

from acltwin.golden.models.index_rule import documented_rule
from acltwin.golden.models.linear import apply
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    for number, axis in enumerate(spec.axes):
        for tile in (4, 8, 16, 32, 64, 128, 256):
            found += [
                Model(
                    f"remainder of {tile} lost along {axis}",
                    "tiling",
                    f"cells of the result beyond the last whole block of {tile} along {axis} are not computed",
                    predict=_cut(number, tile, True),
                    cost=1.2 + 1 / tile,
                ),
                Model(
                    f"sources beyond blocks of {tile} lost along {axis}",
                    "tiling",
                    f"sources beyond the last whole block of {tile} along {axis} are not read",
                    predict=_cut(number, tile, False),
                    cost=1.2 + 1 / tile,
                ),
            ]
    return tuple(found)


def _cut(axis: int, tile: int, result: bool) -> Callable[[View], Prediction]:
    """Axes shorter than a block are computed as they are, or not at all: both have been seen, so neither is assumed."""

    def predict(view: View) -> Prediction:
        matrices = documented_rule(view).matrices(view)
        matrix = matrices[axis].copy()
        size = matrix.shape[0 if result else 1]
        if size > tile:
            whole = size // tile * tile
            if result:
                matrix[whole:, :] = 0.0
            else:
                matrix[:, whole:] = 0.0
        matrices[axis] = matrix
        return view.sums(lambda x: apply(matrices, x))

    return predict
