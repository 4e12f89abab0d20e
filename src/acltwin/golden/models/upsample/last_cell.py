"""The last, or first, cell of an axis is left out."""

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
        for which, place in (("first", 0), ("last", -1)):
            found.append(
                Model(
                    f"{which} result lost along {axis}",
                    "border",
                    f"the {which} cell of the result along {axis} stays 0",
                    predict=_without_result(number, place),
                    cost=1.1,
                )
            )
            found.append(
                Model(
                    f"{which} source lost along {axis}",
                    "border",
                    f"the {which} cell of the input along {axis} is not read",
                    predict=_without_source(number, place),
                    cost=1.1,
                )
            )
    return tuple(found)


def _without_result(axis: int, place: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        matrices = documented_rule(view).matrices(view)
        matrices[axis] = matrices[axis].copy()
        matrices[axis][place, :] = 0.0
        return view.sums(lambda x: apply(matrices, x))

    return predict


def _without_source(axis: int, place: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        matrices = documented_rule(view).matrices(view)
        matrices[axis] = matrices[axis].copy()
        matrices[axis][:, place] = 0.0
        return view.sums(lambda x: apply(matrices, x))

    return predict
