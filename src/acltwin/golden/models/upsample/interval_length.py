"""Intervals whose length is not what their ends say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule
from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not spec.is_gradient:
        return ()
    steps = (
        ("fixed length, rounded down", "floor", "every interval has the length floor(s)"),
        ("fixed length, rounded up", "ceil", "every interval has the length ceil(s)"),
        ("never empty", "least1", "an empty interval takes one cell instead of none"),
        ("one source a cell", "one", "only the first cell of an interval counts"),
    )
    return tuple(
        Model(name, "border", sentence, deviate=_with(length), documented="[b(i), b(i+1))", observed=sentence)
        for name, length, sentence in steps
    )


def _with(length: str) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, length=length, torch=False)  # type: ignore[arg-type]
