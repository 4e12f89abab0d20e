"""Intervals, or sources, that begin or end one cell off, along all axes or one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule
from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    for axis, word in ((None, ""), *((number, f" along {name}") for number, name in enumerate(spec.axes))):
        cost = 1.0 if axis is None else 1.1
        steps = _GRADIENT if spec.is_gradient else _FORWARD
        found += [
            Model(f"{name}{word}", "border", f"{sentence}{word}", deviate=_with(begin, end, axis), cost=cost)
            for name, sentence, begin, end in steps
        ]
    return tuple(found)


_GRADIENT = (
    ("starts one late", "every interval starts one cell late", 1, 0),
    ("starts one early", "every interval starts one cell early", -1, 0),
    ("ends one short", "every interval ends one cell short", 0, -1),
    ("ends one long", "every interval ends one cell late, so that neighbours overlap", 0, 1),
    ("moved by +1", "every interval is moved by one cell", 1, 1),
    ("moved by -1", "every interval is moved back by one cell", -1, -1),
)
_FORWARD = (
    ("source moved by +1", "every source is the next cell", 1, 0),
    ("source moved by -1", "every source is the cell before", -1, 0),
)


def _with(begin: int, end: int, axis: int | None) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, begin=begin, end=end, only_axis=axis, torch=False)
