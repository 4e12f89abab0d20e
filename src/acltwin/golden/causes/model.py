"""A model: a mistake that somebody could have made, and what would come out; and the catalogues they are kept in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeVarTuple

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.masks import without_mask
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
    deviate: Callable[[Any], Any] | None = None  # of an IndexRule, or of the rule of weighted sums
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


# ---- steps: mistakes in the index rule of upsampling, along all axes or along some ----


@dataclass(frozen=True)
class Step:
    """``change`` holds the fields of the documented rule that are different, or how they follow from it."""

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


def _deviation(step: Step, along: tuple[int, ...] | None) -> Callable[[Any], Any]:
    rule_of = {} if step.either_rule else {"torch": False}
    limited = {} if along is None else {"along": along}

    def deviate(rule: Any) -> Any:
        change = {field: value(rule) if callable(value) else value for field, value in step.change.items()}
        return replace(rule, **{**rule_of, **change, **limited})

    return deviate


# ---- catalogues ----

Make = Callable[[OpSpec], Iterable[Model | Step]]


@dataclass(frozen=True)
class KnownCause:
    name: str  # of its page: "folder/name"
    title: str
    page: Page
    make: Make

    @property
    def topic(self) -> str:
        """Its name for ``acltwin explain``."""
        return self.name.partition("/")[2].replace("_", "-")

    def models(self, spec: OpSpec) -> list[Model]:
        """Those for an operator, none if it cannot happen to it; a step is one model for every set of axes."""
        made = [models_from(spec, one) if isinstance(one, Step) else [one] for one in self.make(without_mask(spec))]
        return [replace(model, page=self.name) for models in made for model in models]


KNOWN: list[KnownCause] = []


class Catalogue:
    """Causes of one folder of pages: "common" to every operator, "indexed" (with indices as input), or a family."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def cause(self, title: str, *, looks: str, arises: str, wrong: str, right: str, fix: str) -> Callable[[Make], Make]:
        """Above a function that makes the models for an operator; its name is the page's."""

        def take(make: Make) -> Make:
            name = f"{self.folder}/{make.__name__}"
            KNOWN.append(KnownCause(name, title, Page(looks, arises, wrong, right, fix), make))
            return make

        return take


def cause_named(name: str) -> KnownCause:
    """The cause that a model's ``page`` names."""
    return next(known for known in KNOWN if known.name == name)
