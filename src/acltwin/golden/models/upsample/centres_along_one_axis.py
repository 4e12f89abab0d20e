"""Nearest-exact along some axes and nearest along the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule
from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    return tuple(
        Model(
            f"centres confused along {axis}",
            "index rule",
            f"nearest and nearest-exact are confused along {axis}",
            deviate=_on(number),
            cost=1.2,
        )
        for number, axis in enumerate(spec.axes)
    )


def _on(axis: int) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, exact=not rule.exact, only_axis=axis, torch=False)
