"""Intervals or sources are off by one cell."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Every interval has one source too many or too few at one end; equal sizes fail too.",
    arises="An end that should be excluded is included, or a counter starts at 1.",
    wrong="for o in range(b(i), b(i + 1) + 1): ...",
    right="for o in range(b(i), b(i + 1)): ...",
    fix="Include the start of an interval and exclude its end; with equal sizes, each has exactly one source.",
)
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


def models(spec: OpSpec) -> tuple[Model, ...]:
    rows = _GRADIENT if spec.is_gradient else _FORWARD
    return models_from(
        spec,
        (Step(name, sentence, {"begin": begin, "end": end}, cause="border") for name, sentence, begin, end in rows),
    )
