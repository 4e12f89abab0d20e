"""Catalogues of implementations: an entry is a sentence, and the part of a kernel that it replaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.family import takes_indices
from acltwin.golden.cases.masks import without_mask
from acltwin.golden.cases.products import Add
from acltwin.golden.wrong import pool_kernel, upsample_kernel, weighted_kernel
from acltwin.golden.wrong.basics import Alter, Array, Places, Read, Renumber, Total
from acltwin.golden.wrong.pool_kernel import either, plain, through_indices, unpool
from acltwin.golden.wrong.upsample_kernel import upsample
from acltwin.golden.wrong.weighted_kernel import weighted
from acltwin.ops import OPERATORS
from acltwin.ops.spec import OpSpec
from acltwin.reference import FUNCTIONS

Result = NDArray[Any] | tuple[NDArray[Any], ...]
Kernel = Callable[[str, dict[str, Array], dict[str, object]], Result]
"""(operator, tensors, other arguments), by their names in Python."""
When = Callable[[OpSpec], bool]
Finish = Callable[[Array, np.dtype[Any]], Array]
Wins = Callable[[Array, Array, pool_kernel.Mask], pool_kernel.Mask]
Window = pool_kernel.Axis

RIGHT = "right"
"""The family and the cause of implementations that do nothing wrong."""
KERNELS: dict[str, Callable[..., Result]] = {
    "upsample": upsample,
    "pool": either,
    "plain_pool": plain,
    "adaptive_pool": either,
    "masked_pool": through_indices(either),
    "unpool": unpool,
    "average": weighted,
    "linear": weighted,
}
MUTANTS: list[Mutant] = []


@dataclass(frozen=True)
class Mutant:
    """One implementation."""

    family: str
    name: str
    cause: str
    sentence: str  # what it does wrong, for users
    held_out: bool  # so odd that no catalogue of causes is expected to know it
    tolerated: str  # why results like these are accepted though ours differ; empty: they are not
    applies: When
    function: Kernel

    def run(self, operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
        """Its results for a call of ``acltwin.<operator>``: tensors and other arguments by their Python names."""
        with np.errstate(all="ignore"):  # a wrong kernel overflows without a word
            function = through_indices(self.function) if self.family == "pool" else self.function
            return function(operator, tensors, arguments)


def always(spec: OpSpec) -> bool:
    return True


def forward(spec: OpSpec) -> bool:
    return not spec.is_gradient


def gradient(spec: OpSpec) -> bool:
    return spec.is_gradient


def has_depth(spec: OpSpec) -> bool:
    return len(spec.axes) == 3


def has_exact_sums(spec: OpSpec) -> bool:
    """Whether some sums are exact before they are rounded: those of cubics divided by their sums never are."""
    described: Any = FUNCTIONS[spec.name]
    return getattr(described, "args", ())[:1] != ("cubic_aa",)


def has_rows(spec: OpSpec) -> bool:
    return len(spec.axes) > 1


class Parts(TypedDict, total=False):
    """What an entry may replace: the keywords of the kernels. ``whole`` replaces everything."""

    pairs: Callable[[upsample_kernel.Axis], upsample_kernel.Pairs]
    scales: upsample_kernel.Scales
    geometry: Callable[[Window], Window]
    together: Callable[[list[Window]], list[Window]]
    wins: Wins
    place: Callable[[pool_kernel.Taps], Places]
    outside: float
    start: float
    nothing: float
    order: Callable[[tuple[int, ...]], Sequence[int]]
    index: Renumber
    places: Renumber
    read: Read
    total: Total
    between: Callable[[Array], Array]
    rule: weighted_kernel.Change
    weights: weighted_kernel.Weights
    swapped: bool
    add: Add
    by_cells: bool
    finish: Finish
    alter: Alter
    whole: Kernel


F = TypeVar("F", bound=Callable[..., Any])


class Decorator(Protocol[F]):
    def __call__(self, *, when: When = always, held_out: bool = False, tolerated: str = "") -> Callable[[F], F]: ...


class Part(Generic[F]):
    """``@section.alter()`` above a function: it is that part, and its docstring the sentence."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, section: Section, owner: type) -> Decorator[F]:
        def entry(**options: Any) -> Callable[[F], F]:
            def take(function: F) -> F:
                options[self.name] = function
                section(function.__name__, " ".join((function.__doc__ or "").split()), **options)
                return function

            return take

        return entry


@dataclass(frozen=True)
class Section:
    """The entries of one cause: ``tiling("name", "sentence", alter=...)``, or ``@tiling.alter()`` above the part."""

    families: tuple[str, ...]
    cause: str
    when: When

    pairs = Part[Callable[[upsample_kernel.Axis], upsample_kernel.Pairs]]()
    scales = Part[upsample_kernel.Scales]()
    geometry = Part[Callable[[Window], Window]]()
    together = Part[Callable[[list[Window]], list[Window]]]()
    wins = Part[Wins]()
    place = Part[Callable[[pool_kernel.Taps], Places]]()
    index = Part[Renumber]()
    places = Part[Renumber]()
    read = Part[Read]()
    total = Part[Total]()
    weights = Part[weighted_kernel.Weights]()
    finish = Part[Finish]()
    alter = Part[Alter]()
    whole = Part[Kernel]()

    def __call__(
        self,
        name: str,
        sentence: str,
        *,
        when: When = always,
        held_out: bool = False,
        tolerated: str = "",
        **parts: Unpack[Parts],
    ) -> None:
        of_indices = "index" in parts or ("place" in parts and "outside" not in parts) or bool(tolerated)
        for family in self.families:
            specs = [spec for spec in OPERATORS.values() if spec.family == family]
            if of_indices and specs and not any(spec.makes_indices or takes_indices(spec) for spec in specs):
                continue  # nobody sees these

            def applies(spec: OpSpec, family: str = family) -> bool:
                return family in (spec.family, without_mask(spec).family, RIGHT) and self.when(spec) and when(spec)

            function = parts.get("whole") or partial(KERNELS[family], **parts)
            MUTANTS.append(Mutant(family, name, self.cause, sentence, held_out, tolerated, applies, function))


class Catalogue:
    """Entries for every operator of some families, ``when`` they are of that kind."""

    def __init__(self, *families: str, when: When = always) -> None:
        self.families, self.when = families, when

    def of(self, cause: str) -> Section:
        return Section(self.families, cause, self.when)
