"""The ratio of the sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule
from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    steps = (
        ("ratio inverted", "inverted", "the ratio of the sizes is inverted", "in / out"),
        ("whole ratio", "floor", "the ratio of the sizes is an integer division", "out // in"),
        ("ratio rounded up", "ceil", "the ratio of the sizes is rounded up", "ceil(out / in)"),
        ("ratio rounded", "round", "the ratio of the sizes is rounded to an integer", "round(out / in)"),
    )
    return tuple(
        Model(name, "index rule", sentence, deviate=_with(ratio), documented="out / in", observed=observed)
        for name, ratio, sentence, observed in steps
    )


def _with(ratio: str) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, ratio=ratio, torch=False)  # type: ignore[arg-type]
