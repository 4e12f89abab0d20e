"""The ratio of the sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule, documented_rule
from acltwin.golden.models.linear import apply
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec
from acltwin.reference.source_table import scale_given


def models(spec: OpSpec) -> tuple[Model, ...]:
    steps = (
        ("ratio inverted", "inverted", "the ratio of the sizes is inverted", "in / out"),
        ("whole ratio", "floor", "the ratio of the sizes is an integer division", "out // in"),
        ("ratio rounded up", "ceil", "the ratio of the sizes is rounded up", "ceil(out / in)"),
        ("ratio rounded", "round", "the ratio of the sizes is rounded to an integer", "round(out / in)"),
    )
    found = [
        Model(name, "index rule", sentence, deviate=_with(ratio), documented="out / in", observed=observed)
        for name, ratio, sentence, observed in steps
    ]
    if spec.is_gradient:
        found += [
            Model(
                f"ratio inverted, {words}",
                "index rule",
                f"every source looks for its cell with the inverted ratio of the sizes; {words}",
                deviate=_from_sources(tail),
                documented="in / out",
                observed="out / in",
                cost=1.05,
            )
            for tail, words in (("documented", "the last cell takes the rest"), ("drop", "the rest is lost"))
        ]
    found += [
        Model(
            f"{model.name}, without scales",
            "index rule",
            f"where no scale is given at all, {model.sentence}",
            predict=_without_scales(model.deviate),
            documented=model.documented,
            observed=model.observed,
            cost=model.cost + 0.02,
        )
        for model in found
        if model.deviate is not None
    ]
    return tuple(found)


def _without_scales(deviate: Callable[[IndexRule], IndexRule]) -> Callable[[View], Prediction]:
    """A kernel that goes another way as soon as one scale is given."""

    def predict(view: View) -> Prediction:
        if any(scale_given(scale) for scale in view.scales):
            return None
        matrices = deviate(documented_rule(view)).matrices(view)
        return view.sums(lambda x: apply(matrices, x))

    return predict


def _from_sources(tail: str) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, form="source", ratio="inverted", tail=tail, torch=False)  # type: ignore[arg-type]


def _with(ratio: str) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, ratio=ratio, torch=False)  # type: ignore[arg-type]
