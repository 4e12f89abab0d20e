"""Given scales are used where they should be ignored, or ignored where they should be used."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Cases without scales pass; those with all, or only some, of the scales fail.",
    arises="Operators use scales differently: in three dimensions all or none of them, in two each one on its own; and "
    "a scale of 0 means that none is given.",
    wrong="s = scales_h if scales_h > 0 else out_h / in_h    # in 3-D, though scales_w is missing",
    right="given = all(s > 0 for s in scales); s = scales_h if given else out_h / in_h",
    fix="Decide once, for all axes, which scales are used; test with all, some and none of them.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    together = len(spec.axes) == 3
    each, all_or_none = "each scale on its own", "all scales or none"
    rule_now, rule_then = (all_or_none, each) if together else (each, all_or_none)
    order = ", ".join(spec.axes), ", ".join(spec.axes[::-1])
    rows: tuple[tuple[str, str, dict[str, object], str, str], ...] = (
        ("scales ignored", "the given scales are ignored", {"given": "ignored"}, "the given scales", "out / in"),
        (
            rule_then,
            f"scales are used by the wrong rule: {rule_then}",
            {"given": "each" if together else "all"},
            rule_now,
            rule_then,
        ),
        (
            "given scales inverted",
            "the reciprocal of a given scale is used",
            {"given": "inverted"},
            "s = scale",
            "s = 1 / scale",
        ),
        (
            "first scale everywhere",
            "the first axis's scale is used along every axis",
            {"given": "first"},
            f"scales of {order[0]}",
            f"the scale of {spec.axes[0]}",
        ),
        (
            "equal sizes scaled",
            "a given scale is used even where the sizes are equal",
            {"equal_sizes": "scaled"},
            "equal sizes are copied",
            "the scale",
        ),
        (
            "equal sizes copied",
            "a given scale is not used where the sizes are equal",
            {"equal_sizes": "copied"},
            "the scale",
            "equal sizes are copied",
        ),
        (
            "scales in the wrong order",
            "the scales are applied to the axes in the wrong order",
            {"swapped_scales": True},
            f"scales of {order[0]}",
            f"scales of {order[1]}",
        ),
    )
    return models_from(
        spec,
        (
            Step(name, sentence, change, documented, observed, either_rule=True)
            for name, sentence, change, documented, observed in rows
        ),
    )
