"""An axis is read backwards, or two axes are exchanged."""

from __future__ import annotations

from collections.abc import Callable

from acltwin.golden.models.index_rule import documented_rule
from acltwin.golden.models.linear import apply
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    flips = [
        Model(f"{axis} mirrored", "layout", f"{axis} runs backwards", predict=_mirrored(number))
        for number, axis in enumerate(spec.axes)
    ]
    return tuple(flips)


def _mirrored(axis: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        matrices = documented_rule(view).matrices(view)
        matrices[axis] = matrices[axis][:, ::-1]
        return view.sums(lambda x: apply(matrices, x))

    return predict
