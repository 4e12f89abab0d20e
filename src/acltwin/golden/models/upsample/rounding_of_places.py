"""Places are rounded the wrong way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule
from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    documented = "ceil" if spec.is_gradient else "floor"
    steps = (
        ("floor", "rounded down"),
        ("ceil", "rounded up"),
        ("even", "rounded to nearest"),
        ("away", "rounded half up"),
    )
    return tuple(
        Model(
            f"places {words}",
            "index rule",
            f"places are {words} where the document has {documented}",
            deviate=_with(how),
            documented=documented,
            observed=words,
        )
        for how, words in steps
        if how != documented
    )


def _with(how: str) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, rounding=how, torch=False)  # type: ignore[arg-type]
