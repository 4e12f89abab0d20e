"""A mistake of the index rule that was made along one axis only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule
from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    for number, axis in enumerate(spec.axes):
        found += [
            Model(
                f"{name} along {axis}",
                "index rule",
                f"{sentence}, along {axis} only",
                deviate=_on(number, step),
                cost=1.3,
            )
            for name, sentence, step in _STEPS
        ]
    return tuple(found)


_STEPS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("scale ignored", "the given scale is ignored", {"given": "ignored"}),
    ("ratio inverted", "the ratio of the sizes is inverted", {"ratio": "inverted"}),
    ("whole ratio", "the ratio of the sizes is an integer division", {"ratio": "floor"}),
    ("tail clamped", "what lies beyond the last interval is clamped", {"tail": "clamp"}),
    ("rounded down", "places are rounded down", {"rounding": "floor"}),
    ("rounded up", "places are rounded up", {"rounding": "ceil"}),
    ("rounded to nearest", "places are rounded to nearest", {"rounding": "even"}),
)


def _on(axis: int, step: dict[str, object]) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, **step, only_axis=axis, torch=False)  # type: ignore[arg-type]
