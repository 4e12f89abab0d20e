"""Another offset than the documented one is added to a place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule
from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    documented = (-0.5 if spec.is_gradient else 0.5) if spec.is_exact else 0.0
    plain = -documented if not spec.is_exact else 0.0
    return tuple(
        Model(
            f"offset {offset:+g}",
            "index rule",
            f"places are moved by {offset:+g}",
            deviate=_with(offset),
            documented=f"offset {documented:+g}",
            observed=f"offset {offset:+g}",
            cost=1.2,
        )
        for offset in (-1.0, -0.5, -0.25, 0.25, 0.5, 1.0)
        if offset not in (documented, plain)
        and not (not spec.is_exact and abs(offset) == 0.5 and _is_exact(spec, offset))
    )


def _is_exact(spec: OpSpec, offset: float) -> bool:
    """That offset makes plain nearest the exact one, which another model names."""
    return offset == (-0.5 if spec.is_gradient else 0.5)


def _with(offset: float) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, offset=offset, torch=False)
