"""How fast is fast enough: the goals of the grid as data. Times are ratios to PyTorch, shares are of the limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bench.grid import ANISOTROPIC, DENSE, DISJOINT, FLAT, HALF_TYPES, OVERLAP, Row


@dataclass(frozen=True)
class Goal:
    """`where` names attributes of a case, or of its operator's declaration, and the values they may have. The first
    goal that fits a row counts."""

    rows: str
    where: dict[str, tuple[Any, ...]]
    reuse: float  # times PyTorch, both into memory that is already there
    allocate: float  # times PyTorch, both with a new result
    percent: float | None = None  # of the streaming limit, output reused

    def fits(self, row: Row) -> bool:
        case = row.case
        return all(getattr(case, name, getattr(case.spec, name, None)) in self.where[name] for name in self.where)


Kind = dict[str, tuple[Any, ...]]

# An operator and its gradient.
EXACT3D: Kind = {"mode": ("nearest-exact",), "axes": ("DHW",)}
NEAREST3D: Kind = {"mode": ("nearest",), "axes": ("DHW",)}
EXACT2D: Kind = {"mode": ("nearest-exact",), "axes": ("HW",)}
UNPOOL: Kind = {"family": ("unpool",)}
POOL: Kind = {"family": ("pool",)}


def _large(kind: Kind, rows: str, reuse: float, allocate: float, percent: float | None, **where: Any) -> Goal:
    fields = {name: values if isinstance(values, tuple) else (values,) for name, values in where.items()}
    return Goal(rows, {**kind, "size": ("large",), **fields}, reuse, allocate, percent)


def _contiguous(kind: Kind, rows: str, reuse: float, allocate: float, percent: float, **where: Any) -> Goal:
    return _large(kind, rows, reuse, allocate, percent, layout="contiguous", **where)


UP = (2.0, 3.0, 4.0, 2.7, 10.0)
F32 = "float32"
F64 = "float64"
OVERLAPPING = (OVERLAP, DENSE, ANISOTROPIC)

NO_LOSS = Goal("any other row", {}, 1.0, 1.0)

TINY = (Goal("tiny", {"size": ("tiny",)}, 3.0, 3.0),)

CHANNELS_LAST = (
    Goal("channels-last, C = 3", {"layout": ("channels-last",), "channels": (3,), "size": ("large",)}, 5.0, 5.0, 60.0),
    *(
        Goal(
            f"channels-last x{factor:g}, C >= 16",
            {"layout": ("channels-last",), "factor": (factor,), "size": ("large",)},
            times,
            times,
            85.0,
        )
        for factor, times in ((2.0, 5.0), (1.5, 10.0), (0.5, 20.0))
    ),
)

UPSAMPLE = (
    _contiguous(EXACT3D, "exact3d x2 and more, float32", 6.0, 5.5, 95.0, factor=UP, dtype=F32),
    _contiguous(EXACT3D, "exact3d x2 and more, 16-bit", 12.0, 12.0, 90.0, factor=UP, dtype=HALF_TYPES),
    _contiguous(EXACT3D, "exact3d x1.5, float32", 5.5, 5.0, 90.0, factor=1.5, dtype=F32),
    _contiguous(EXACT3D, "exact3d x1.5, 16-bit", 11.0, 9.0, 85.0, factor=1.5, dtype=HALF_TYPES),
    _contiguous(EXACT3D, "exact3d x0.5, float32", 3.5, 4.0, 75.0, factor=0.5, dtype=F32),
    _contiguous(EXACT3D, "exact3d x0.5, 16-bit", 6.5, 6.0, 70.0, factor=0.5, dtype=HALF_TYPES),
    _contiguous(NEAREST3D, "nearest3d x2, float32", 2.8, 2.8, 95.0, factor=2.0, dtype=F32),
    _contiguous(NEAREST3D, "nearest3d x2, 16-bit", 5.5, 5.5, 90.0, factor=2.0, dtype=HALF_TYPES),
    _contiguous(NEAREST3D, "nearest3d x2, float64", 1.9, 1.9, 95.0, factor=2.0, dtype=F64),
    _contiguous(NEAREST3D, "nearest3d x1.5, float32", 5.0, 5.0, 90.0, factor=1.5, dtype=F32),
    _contiguous(NEAREST3D, "nearest3d x1.5, 16-bit", 9.0, 8.0, 80.0, factor=1.5, dtype=HALF_TYPES),
    _contiguous(NEAREST3D, "nearest3d x1.5, float64", 3.0, 2.5, 85.0, factor=1.5, dtype=F64),
    _contiguous(EXACT2D, "exact2d, upscale, float32", 5.0, 5.0, 85.0, factor=(1.5, *UP), dtype=F32),
    _contiguous(EXACT2D, "exact2d, upscale, 16-bit", 7.0, 7.0, 75.0, factor=(1.5, *UP), dtype=HALF_TYPES),
)

INDEXED = (
    _large(UNPOOL, "gather, random indices", 1.0, 1.0, None, indices="random"),
    _large(UNPOOL, "gather, one plane", 2.0, 2.0, None, planes="one plane"),
    _large(UNPOOL, "gather, 16-bit floats", 1.9, 2.2, None, dtype=HALF_TYPES),
    _large(UNPOOL, "gather, other dtypes", 1.1, 1.3, 90.0),
    _large(POOL, "pool, random indices, float32", 1.0, 1.0, None, indices="random", dtype=F32),
    _large(POOL, "pool, random indices, 16-bit", 0.95, 0.95, None, indices="random"),
    _large(POOL, "pool k = s, float32", 3.5, 5.0, 95.0, window=(DISJOINT, FLAT), dtype=F32),
    _large(POOL, "pool k = s, 16-bit", 3.0, 3.0, 85.0, window=(DISJOINT, FLAT)),
    _large(POOL, "pool overlap, one plane", 3.0, 3.0, None, window=OVERLAPPING, planes="one plane"),
    _large(POOL, "pool overlap, float32", 2.5, 3.0, 65.0, window=OVERLAPPING, dtype=F32),
    _large(POOL, "pool overlap, 16-bit", 2.0, 2.0, 55.0, window=OVERLAPPING),
)

_MEDIUM_EXACT3D = {
    **EXACT3D,
    "size": ("medium",),
    "layout": ("contiguous",),
    "factor": UP,
}
MEDIUM = (
    Goal("medium exact3d x2 and more, float32", {**_MEDIUM_EXACT3D, "dtype": (F32,)}, 7.0, 7.0, 50.0),
    Goal("medium exact3d x2 and more, 16-bit", {**_MEDIUM_EXACT3D, "dtype": HALF_TYPES}, 12.0, 12.0, 50.0),
    Goal("other medium rows", {"size": ("medium",)}, 1.0, 1.0, 50.0),
)

# For two threads. On one thread the goal is not to lose. A forward operator has the goals of its gradient.
GOALS = (*TINY, *CHANNELS_LAST, *UPSAMPLE, *INDEXED, *MEDIUM)
ONE_THREAD = Goal("one thread", {}, 1.0, 1.0)
GEOMETRIC_MEAN = 6.0
IN_PLACE = 1.0  # of every row, times PyTorch
IN_PLACE_MEAN = 4.0
CALL_OVERHEAD = 3.0


def goal_of(row: Row) -> Goal:
    if row.threads == 1 and row.case.size != "tiny":
        return ONE_THREAD
    goal = next((goal for goal in GOALS if goal.fits(row)), NO_LOSS)
    return replace(goal, rows=f"forward: {goal.rows}") if not row.case.spec.is_gradient else goal
