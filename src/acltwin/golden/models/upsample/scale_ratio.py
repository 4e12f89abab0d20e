"""The ratio of the sizes is computed in another way."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.models.index_rule import documented_rule
from acltwin.golden.models.linear import apply
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.steps import Step, models_from
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec
from acltwin.reference.source_table import scale_given

PAGE = Page(
    looks="Only equal sizes, or only integer factors, pass; in all other cases nearly every cell is wrong.",
    arises="The ratio is inverted, or is an integer division, which truncates 7 / 4 to 1.",
    wrong="scale = out_size // in_size",
    right="scale = float32(out_size) / float32(in_size)",
    fix="Divide floats: output by input for intervals, input by output for sources.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    steps = [
        Step(name, f"the ratio of the sizes {sentence}", {"ratio": ratio}, "out / in", observed)
        for name, ratio, sentence, observed in (
            ("ratio inverted", "inverted", "is inverted", "in / out"),
            ("whole ratio", "floor", "is an integer division", "out // in"),
            ("ratio rounded up", "ceil", "is rounded up", "ceil(out / in)"),
            ("ratio rounded", "round", "is rounded to an integer", "round(out / in)"),
            ("ratio of the corners", "corners", "counts one cell less on both sides", "(in - 1) / (out - 1)"),
        )
    ]
    steps += [
        Step(
            "factor inverted",
            "the factor is inverted, whether it is given or computed",
            {"ratio": "inverted", "given": "inverted"},
            "s",
            "1 / s",
            cost=1.05,
        ),
        Step(
            "whole factor",
            "a position is divided by the factor, truncated to an integer",
            {"formula": "quotient", "whole": True, **({"form": "source"} if spec.is_gradient else {})},
            "o * in / out",
            "o // (out // in)",
            cost=1.05,
        ),
    ]
    if spec.is_gradient:
        steps += [
            Step(
                f"ratio inverted, {words}",
                f"every source looks for its cell with the inverted ratio of the sizes; {words}",
                {"form": "source", "ratio": "inverted", "tail": tail},
                "in / out",
                "out / in",
                cost=1.05,
                along_some=False,
            )
            for tail, words in (("documented", "the last cell takes the rest"), ("drop", "the rest is lost"))
        ]
    found = models_from(spec, steps)
    return found + tuple(_without_scales(model) for model in found if model.in_pairs)


def _without_scales(model: Model) -> Model:
    """A kernel that goes another way as soon as one scale is given."""
    deviate = model.deviate
    assert deviate is not None

    def predict(view: View) -> Prediction:
        if any(scale_given(scale) for scale in view.scales):
            return None
        matrices = deviate(documented_rule(view)).matrices(view)
        return view.sums(lambda x: apply(matrices, x))

    return replace(
        model,
        name=f"{model.name}, without scales",
        sentence=f"where no scale is given at all, {model.sentence}",
        predict=predict,
        deviate=None,
        cost=model.cost + 0.02,
    )
