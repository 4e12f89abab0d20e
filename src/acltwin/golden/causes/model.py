"""A model: a mistake that somebody could have made, and what would come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeVarTuple

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.causes.index_rule import IndexRule
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Limits
from acltwin.golden.judge.expected import Expected
from acltwin.ops.spec import OpSpec

Given = TypeVarTuple("Given")
FaultClass = Literal[
    "index rule", "border", "layout", "tiling", "accumulation", "rounding", "initialisation", "special values"
]


@dataclass(frozen=True)
class Maxima:
    """Both results of a pooling; where ``free`` is true, any index will do, and where ``unknown`` is, any value."""

    values: Array
    indices: Array
    free: NDArray[np.bool_]
    unknown: NDArray[np.bool_] | None = None


Prediction = Expected | Limits | Maxima | Array | tuple[Array, ...] | None
"""What every order of additions can give; limits; the very results; None: nothing to say of this case."""


@dataclass(frozen=True)
class Model:
    """``predict`` says what the mistake makes of a case, or ``deviate`` how it changes the index rule.

    ``cost`` counts deviations from the documents: the cheapest model that explains everything is named.
    """

    name: str
    cause: FaultClass
    sentence: str  # for users
    predict: Callable[[View], Prediction] | None = None
    deviate: Callable[[IndexRule], IndexRule] | None = None
    documented: str = ""
    observed: str = ""
    note: str = ""  # what else helps to believe it
    cost: float = 1.0
    in_pairs: bool = True  # whether two deviations of the index rule may be this one and another
    page: str = ""  # "folder/name" of the cause, filled in by its catalogue


def model(
    name: str,
    cause: FaultClass,
    sentence: str,
    predict: Callable[[View, *Given], Prediction],
    *given: *Given,
    documented: str = "",
    observed: str = "",
    cost: float = 1.0,
) -> Model:
    """A model whose prediction also depends on what is given here: ``predict(view, *given)``."""
    bound = (lambda view: predict(view, *given)) if given else predict
    return Model(name, cause, sentence, bound, documented=documented, observed=observed, cost=cost)


@dataclass(frozen=True)
class Page:
    """What a developer should know of a cause: Markdown for its page of the documentation."""

    looks: str  # what the failures look like
    arises: str  # how one comes to make this mistake
    wrong: str  # a line of code
    right: str  # the same line as it should be
    fix: str  # what to do, and how to make sure


def exchanges(spec: OpSpec) -> list[tuple[str, tuple[int, ...]]]:
    """("H and W exchanged", the axes in that order); each order is its own inverse."""
    found = []
    for first, second in combinations(range(len(spec.axes)), 2):
        order = list(range(len(spec.axes)))
        order[first], order[second] = second, first
        found.append((f"{spec.axes[first]} and {spec.axes[second]} exchanged", tuple(order)))
    return found
