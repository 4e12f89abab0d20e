"""Tables of mistakes in the index rule of upsampling: along all axes, or along some of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from acltwin.golden.causes.index_rule import IndexRule
from acltwin.golden.causes.model import FaultClass, Model
from acltwin.ops.spec import OpSpec


@dataclass(frozen=True)
class Step:
    """``change`` holds the fields of the documented rule that are different."""

    name: str
    sentence: str
    change: Mapping[str, Any]
    documented: str = ""
    observed: str = ""
    cause: FaultClass = "index rule"
    cost: float = 1.0
    note: str = ""
    along_all: bool = True  # whether it is another mistake than one of another file if it is made along every axis
    along_some: bool = True  # whether it can be made along some axes alone
    either_rule: bool = False  # whether it can be made on top of PyTorch's rule too
    in_pairs: bool = True  # whether it is tried together with others


def models_from(spec: OpSpec, step: Step) -> list[Model]:
    """Along all axes, and along every set of some of them."""
    model = Model(
        step.name,
        step.cause,
        step.sentence,
        deviate=_deviation(step, None),
        documented=step.documented,
        observed=step.observed,
        note=step.note,
        cost=step.cost,
        in_pairs=step.in_pairs,
    )
    found = [model] if step.along_all else []
    for count in range(1, len(spec.axes)) if step.along_some else ():
        for axes in combinations(range(len(spec.axes)), count):
            where = f"along {' and '.join(spec.axes[axis] for axis in axes)}"
            along = replace(
                model,
                name=f"{step.name} {where}",
                sentence=f"{step.sentence}, {where} only",
                deviate=_deviation(step, axes),
                cost=step.cost + 0.2 + 0.05 * count,
                in_pairs=False,
            )
            found.append(along)
    return found


def _deviation(step: Step, along: tuple[int, ...] | None) -> Callable[[IndexRule], IndexRule]:
    rule_of = {} if step.either_rule else {"torch": False}
    limited = {} if along is None else {"along": along}
    return lambda rule: replace(rule, **{**rule_of, **step.change, **limited})
