"""A gradient searches for the maximum again, and finds another cell."""

from __future__ import annotations

from collections.abc import Callable

from acltwin.golden.models.indexing import reindexed
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import Choice, pooled, window_of
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Data without ties, NaN or padding pass. Where several cells are equal or NaN, or a window extends beyond "
    "the plane, the gradient goes to another cell of its window.",
    arises="The kernel searches for the maximum again instead of using the indices of the forward pass, and treats "
    "ties, NaN or padding differently.",
    wrong="index = argmax(window)                     # again",
    right="grad_input[indices[o]] += grad_output[o]",
    fix="Use the given indices; only the shape of `self` matters.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not spec.is_gradient:
        return ()
    found = [
        Model(
            f"finds the maximum again: {name}",
            "index rule",
            f"the indices are not used: the maximum is looked for again, {words}",
            _again(choice),
            documented="the given indices",
            observed=f"{words}, in self",
            cost=cost,
        )
        for name, words, choice, cost in (
            ("first", "and the first of several wins, NaN never", Choice(), 1.0),
            ("first, or the first cell", "and the first of several wins, NaN never", Choice(nothing="first"), 1.0),
            ("first, or cell 0", "and the first of several wins, NaN never", Choice(nothing="zero"), 1.0),
            ("last", "and the last of several wins", Choice(last=True), 1.0),
            ("first NaN", "and the first NaN wins", Choice(nan="first"), 1.0),
            (
                "last, first NaN",
                "and the last of several, but the first NaN, wins",
                Choice(last=True, nan="first"),
                1.1,
            ),
            ("last, last NaN", "and the last of several, and the last NaN, wins", Choice(last=True, nan="last"), 1.1),
            ("magnitude", "by magnitude", Choice(magnitude=True, nan="last"), 1.1),
            ("bfloat16", "in bfloat16", Choice(narrow="bfloat16", nan="last"), 1.0),
            ("float16", "in float16", Choice(narrow="float16", nan="last"), 1.0),
            ("zero padding", "with zeros as padding", Choice(zero_padding=True, nan="last"), 1.0),
            ("minimum", "and it is the minimum", Choice(minimum=True, nan="last"), 1.1),
        )
    ]
    return tuple(found)


def _again(choice: Choice) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        _, places = pooled(view, window_of(view), choice)
        return reindexed(view, places.reshape(view.indices.shape))

    return predict
