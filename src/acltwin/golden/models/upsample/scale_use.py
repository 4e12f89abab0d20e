"""Which of the given scales count."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    together = len(spec.axes) == 3
    rule_now = "all three scales or none" if together else "each scale on its own"
    rule_then = "each scale on its own" if together else "all scales or none"
    return (
        Model(
            "scales ignored",
            "index rule",
            "the given scales are ignored",
            deviate=lambda rule: replace(rule, given="ignored"),
            documented="the given scales",
            observed="output size / input size",
        ),
        Model(
            rule_then,
            "index rule",
            f"scales count by the wrong rule: {rule_then}",
            deviate=lambda rule: replace(rule, given="each" if together else "all"),
            documented=rule_now,
            observed=rule_then,
        ),
        Model(
            "given scales inverted",
            "index rule",
            "a given scale is taken for its reciprocal",
            deviate=lambda rule: replace(rule, given="inverted"),
            documented="s = scale",
            observed="s = 1 / scale",
        ),
        Model(
            "equal sizes scaled",
            "index rule",
            "a given scale counts even where the sizes are equal",
            deviate=lambda rule: replace(rule, equal_sizes="scaled"),
            documented="equal sizes are copied",
            observed="the scale",
        ),
        Model(
            "equal sizes copied",
            "index rule",
            "a given scale does not count where the sizes are equal",
            deviate=lambda rule: replace(rule, equal_sizes="copied"),
            documented="the scale",
            observed="equal sizes are copied",
        ),
        Model(
            "scales in the wrong order",
            "index rule",
            "the scales are applied to the axes in the wrong order",
            deviate=lambda rule: replace(rule, swapped_scales=True),
            documented=f"scales of {', '.join(spec.axes)}",
            observed=f"scales of {', '.join(spec.axes[::-1])}",
        ),
    )
