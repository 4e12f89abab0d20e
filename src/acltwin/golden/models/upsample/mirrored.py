"""An axis is read backwards."""

from __future__ import annotations

from collections.abc import Callable

from acltwin.golden.models.index_rule import documented_rule
from acltwin.golden.models.linear import apply
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Along one axis every source comes from the other end; the middle cell of an odd size is right.",
    arises="A loop counts down, or a copy has a negative stride.",
    wrong="row = height - 1 - y",
    right="row = y",
    fix="Read the axis in the order in which it is stored.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    return tuple(
        Model(f"{axis} mirrored", "layout", f"{axis} runs backwards", predict=_mirrored(number))
        for number, axis in enumerate(spec.axes)
    )


def _mirrored(axis: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        matrices = documented_rule(view).matrices(view)
        matrices[axis] = matrices[axis][:, ::-1]
        return view.sums(lambda x: apply(matrices, x))

    return predict
