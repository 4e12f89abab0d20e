"""What was found out about one output: counted, remembered, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.checked import Count
from acltwin.golden.cases.dtypes import Array, facts, float64

if TYPE_CHECKING:
    from acltwin.golden.cases.case import Case

Index = tuple[Count, ...]
Status = Literal["passed", "failed", "error", "skipped"]
KEPT_CASES = 40  # failing outputs that go into the record of a run


@dataclass(frozen=True)
class Source:
    """A wrong source of a cell. ``error`` is its weight minus the documented one: -1 lost, +1 extra or doubled."""

    index: Index
    error: int
    documented: bool = False  # whether it is a source of this cell at all: +1 then means "doubled"
    weight: float | None = None  # of a weighted sum: the documented one,
    found: float | None = None  # and the one that was found; ``error`` is 0 where both are some


@dataclass(frozen=True)
class Census:
    """Every cell of the output, counted."""

    cells: Count = 0
    wrong: Count = 0
    not_judged: Count = 0  # overflow on the way depends on the order of the additions
    nan_expected: Count = 0
    nan_found: Count = 0
    inf_expected: Count = 0
    inf_found: Count = 0
    largest_error: float = 0.0  # |found - expected| over finite cells
    largest_ulps: float = 0.0  # the same in units of the last place of the expected value
    zero_instead: Count = 0  # wrong cells that are 0
    zero_expected: Count = 0  # finite wrong cells that should be 0, which has no last place to speak of


@dataclass(frozen=True)
class Cell:
    """One wrong cell. ``low`` to ``high`` is what a right kernel can return."""

    index: Index
    result: Count  # of several results, which
    expected: float
    low: float
    high: float
    found: float
    ulps: float


@dataclass(frozen=True)
class Sources:
    """What the decoder found of one wrong cell: its place in the plane, and the sources that are too many or lost."""

    plane: Index
    cell: Index
    terms: Count  # expected number of sources
    wrong: tuple[Source, ...]
    is_copy: bool = False  # of one cell, not a sum


@dataclass(frozen=True)
class Verdict:
    """Whether an output is right, how many cells are wrong, and which ones.

    ``status`` is "passed", "failed", "skipped", or "error" if the target could not be run. ``problem`` is set where
    there was nothing to compare: a refusal, a crash, another shape.
    """

    case: str
    operator: str
    rule: str
    status: Status
    census: Census = field(default_factory=Census)
    worst: tuple[Cell, ...] = ()
    sources: tuple[Sources, ...] = ()
    decoded: Count = 0  # wrong cells whose sources are known
    undecoded: Count = 0
    problem: str | None = None
    detail: str = ""  # of a vendor's rule: the figures it compared
    options: Mapping[str, Any] = field(default_factory=dict)
    bound_wrong: Count | None = None  # under another rule: cells that no float32 sum can give
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what is worth knowing and no fault

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        """Census, cells and sources, for people."""
        return verdict_text(self)


@dataclass(frozen=True)
class Record:
    """A case, and what came of it."""

    case: Case
    verdict: Verdict
    seconds: float = 0.0
    device: str = ""
    output: tuple[Array, ...] | None = field(default=None, compare=False, repr=False)


# ---- counting cells, and finding the worst of them ----

WORST = 20


def census_of(found: Array, target: Array, wrong: NDArray[np.bool_]) -> Census:
    """``target`` are the expected values; they may be more exact than the dtype of what was found."""
    (nan_found, inf_found), (nan_expected, inf_expected) = _strange(found), _strange(target)
    y, best = float64(found[wrong]), float64(target[wrong])
    finite = np.isfinite(y) & np.isfinite(best)
    with np.errstate(over="ignore"):  # the largest numbers of both signs
        error = np.abs(y[finite] - best[finite])
    return Census(
        cells=int(wrong.size),
        wrong=len(y),
        nan_expected=nan_expected,
        nan_found=nan_found,
        inf_expected=inf_expected,
        inf_found=inf_found,
        largest_error=float(error.max(initial=0.0)),
        largest_ulps=float(ulps(y[finite], best[finite], found.dtype).max(initial=0.0)),
        zero_instead=int((y == 0).sum()),
        zero_expected=int((best[finite] == 0).sum()),
    )


def _strange(values: Array) -> tuple[int, int]:
    """How many NaN and infinities there are: mostly none, which one look tells."""
    with np.errstate(invalid="ignore"):  # signalling NaN
        if not facts(values.dtype).is_float or np.isfinite(values).all():
            return 0, 0
    wide = float64(values)
    return int(np.isnan(wide).sum()), int(np.isinf(wide).sum())


def worst_of(
    found: Array, target: Array, wrong: NDArray[np.bool_], low: Array, high: Array, result: int = 0
) -> tuple[Cell, ...]:
    """The wrong cells with the largest errors, those that are not finite first."""
    places = np.flatnonzero(wrong)
    y, best = (float64(np.broadcast_to(values, wrong.shape).ravel()[places]) for values in (found, target))
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(y - best)
    distance = ulps(y, best, found.dtype)
    order = np.argsort(np.where(np.isfinite(error), -error, -np.inf), kind="stable")[:WORST]
    cells = []
    for which in order:
        index = tuple(int(axis) for axis in np.unravel_index(places[which], wrong.shape))
        limits = (float(low[index]), float(high[index]))
        cells.append(Cell(index, result, float(best[which]), *limits, float(y[which]), float(distance[which])))
    return tuple(cells)


def ulps(found: NDArray[np.float64], target: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """|found - target| in units of the last place of the target in ``dtype``; of integers: the difference."""
    fact = facts(dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(found - target)
        if not fact.is_float:
            return distance
        size = np.where(np.isfinite(target), np.abs(target), 1.0)
        exponent = np.frexp(np.maximum(size, fact.smallest_normal))[1]
        return np.asarray(distance / np.ldexp(1.0, exponent - fact.bits), np.float64)


# ---- verdicts in words ----

SHOWN = 4


def verdict_text(verdict: Verdict) -> str:
    """The case, the census, and the first cells with their sources."""
    head = f"{verdict.operator}  {verdict.case}: {verdict.status} by {verdict.rule}".strip()
    if verdict.problem:
        return f"{head}\n  {verdict.problem}"
    lines = [head, f"  {census_text(verdict)}"]
    if verdict.detail:
        lines.append(f"  {verdict.detail}")
    lines += [f"  {cell_text(cell)}" for cell in verdict.worst[:SHOWN]]
    lines += [f"  {sources_text(found)}" for found in verdict.sources[:SHOWN]]
    lines += [f"  warning: {warning}" for warning in verdict.warnings]
    return "\n".join(lines)


def census_text(verdict: Verdict) -> str:
    census = verdict.census
    parts = [f"{census.wrong} of {census.cells} cells wrong", f"{census.not_judged} not judged"]
    parts += [f"NaN {census.nan_found} (expected {census.nan_expected})"]
    parts += [f"inf {census.inf_found} (expected {census.inf_expected})"]
    if census.wrong:
        unit = "" if census.zero_expected else f" ({census.largest_ulps:.3g} ulp)"
        parts.append(f"largest error {census.largest_error:g}{unit}")
    return ", ".join(parts)


def cell_text(cell: Cell) -> str:
    wanted = f"{cell.low:g}" if cell.low == cell.high else f"{cell.low:g} to {cell.high:g}"
    kind = "index" if cell.result else "cell"
    return f"{kind} {place(cell.index)}  expected {wanted}, found {cell.found:g}"


def sources_text(sources: Sources) -> str:
    head = f"cell {place(sources.cell)} of plane {place(sources.plane)}"
    if sources.is_copy:
        return f"{head}  {_copy_text(sources)}"
    if any(source.weight is not None for source in sources.wrong):
        weights = [f"{place(one.index)} {one.found:g} instead of {one.weight:g}" for one in sources.wrong[:SHOWN]]
        more = f", and {len(sources.wrong) - SHOWN} more" if len(sources.wrong) > SHOWN else ""
        return f"{head}  weights: {', '.join(weights)}{more}"
    lost = [place(source.index) for source in sources.wrong if source.error < 0]
    extra = [place(source.index) for source in sources.wrong if source.error > 0]
    words = [f"lost {', '.join(lost)}" if lost else "", f"extra {', '.join(extra)}" if extra else ""]
    found = sources.terms + sum(source.error for source in sources.wrong)
    return f"{head}  expected {sources.terms} sources, found {found}: {'; '.join(word for word in words if word)}"


def _copy_text(sources: Sources) -> str:
    """Of a selection: which cell was meant, and which came."""
    asked = [place(source.index) for source in sources.wrong if source.error < 0]
    came = [place(source.index) for source in sources.wrong if source.error > 0]
    return f"expected {asked[0] if asked else 'nothing'}, found {came[0] if came else 'nothing'}"


def place(index: tuple[int, ...]) -> str:
    return f"({','.join(map(str, index))})"
