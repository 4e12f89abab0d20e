"""PyTorch's map instead of the device's, or the forward map in a gradient."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Nearly everything passes; some fractional factors, and given scales that do not match the sizes, fail at "
    "single cells.",
    arises="In exact arithmetic the forward map and the gradient's intervals agree. In float32 they do not: a gradient "
    "that scatters through the forward map differs from the documented one at some borders.",
    wrong="src = min(floor(o * in / out), in - 1); grad_input[src] += grad_output[o]",
    right="grad_input[i] = sum(grad_output[ceil(i * s) : ceil((i + 1) * s)])",
    fix='Use the documented interval table; or, if PyTorch is the reference, verify with `rule="torch"` cases.',
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    intervals, sources = "b(i) = ceil(i*s)", "src(o) = min(floor(o*t), in - 1)"
    other = Model(
        "PyTorch's map",
        "index rule",
        "borders are rounded by PyTorch's rule instead of the device's, or by the device's instead of PyTorch's",
        deviate=lambda rule: replace(rule, torch=not rule.torch),
        documented="the table of the rule that is asked for",
        observed="that of the other rule",
    )
    if not spec.is_gradient:
        step = Step(
            "intervals, not sources",
            "the forward pass uses the gradient's intervals",
            {"form": "interval"},
            sources,
            intervals,
            cost=1.1,
        )
        return other, *models_from(spec, [step])
    steps = [
        Step(
            f"forward map, {words}",
            f"the gradient uses the forward map; {words}",
            {"form": "source", "tail": tail},
            intervals,
            sources,
            cost=1.1,
        )
        for tail, words in (
            ("documented", "what lies beyond the input is added to the last cell"),
            ("drop", "the rest is lost"),
        )
    ]
    return other, *models_from(spec, steps)
