"""Cases that reach every kernel: large enough for several threads and for non-temporal stores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from support import registry
from support.cases import AXES, DTYPES, NEAREST3D, POOL, UNPOOL, UPSAMPLE, Case, Window, average, pool, unpool, upsample
from support.values import FLOATS, INTEGERS

FACTORS = (1, 2, 3, 4, 1.5, 2.7, 0.5, 10)
WINDOWS = {
    "touching": Window((2, 2, 2), (2, 2, 2)),
    "overlapping": Window((3, 3, 3), (2, 2, 2), (1, 1, 1)),
    "dense": Window((3, 3, 3), (1, 1, 1), (1, 1, 1)),
    "uneven": Window((1, 3, 2), (1, 2, 2), (0, 1, 1), ceil_mode=True),
    "apart": Window((2, 2, 2), (3, 3, 3)),
    "dilated": Window((2, 3, 2), (2, 2, 2), (0, 1, 0), (2, 1, 2)),
}


def upsample_case(operator: str, dtype: np.dtype[Any], factor: float, batch: tuple[int, int], cells: int) -> Case:
    """About `cells` gradient cells altogether, with the factor on every axis."""
    rng = np.random.default_rng(7)
    per_plane = cells / (batch[0] * batch[1])
    axes = AXES[operator]
    if axes < 3:
        inner = (max(1, round(per_plane ** (1 / axes) / factor)),) * axes
    else:
        side = max(1.0, (per_plane / 8) ** (1 / 3) / factor)  # rows four times as long as deep
        inner = (round(side), round(2 * side), round(4 * side))
    outer = tuple(max(1, round(n * factor)) for n in inner)
    return upsample(rng, operator, dtype, outer, inner, batch=batch)


def large_cases(cells: int = 1 << 20) -> dict[str, Callable[[], Case]]:
    """Every operator, dtype and kind of kernel by name; about `cells` gradients each, made when asked for."""
    cases: dict[str, Callable[[], Case]] = {}
    for operator in UPSAMPLE:
        for dtype in DTYPES[operator]:
            for factor in FACTORS if AXES[operator] == 3 else (2, 1.5, 0.5):
                cases[f"{operator} {dtype} x{factor}"] = partial(upsample_case, operator, dtype, factor, (2, 16), cells)
            cases[f"{operator} {dtype} one plane"] = partial(upsample_case, operator, dtype, 2.7, (1, 1), cells)
            cases[f"{operator} {dtype} 3 channels"] = partial(upsample_case, operator, dtype, 1.5, (4, 3), cells)
    for dtype in DTYPES[NEAREST3D]:
        cases[f"{dtype} many rows per cell"] = partial(upsample_case, NEAREST3D, dtype, 25, (8, 8), cells)
    return cases | _index_cases(cells)


def _index_cases(cells: int) -> dict[str, Callable[[], Case]]:
    cases: dict[str, Callable[[], Case]] = {}
    side = max(4, round((cells / 32 / 4) ** (1 / 3)))
    plane, one_plane = (side, 2 * side, 2 * side), (8, 4 * side, 4 * side)
    for dtype in DTYPES[UNPOOL]:
        cases[f"{UNPOOL} {dtype}"] = partial(unpool, _rng(), dtype, plane, (side, side, side), (2, 16))
        half = (4, 2 * side, 2 * side)
        cases[f"{UNPOOL} {dtype} one plane"] = partial(unpool, _rng(), dtype, one_plane, half, (1, 1), np.int32)
    for dtype in DTYPES[POOL]:
        for kind, window in WINDOWS.items():
            name = f"{POOL} {dtype} {kind}"
            cases[name] = partial(pool, _rng(), dtype, plane, window, (2, 16))
            cases[f"{name}, any indices"] = partial(pool, _rng(), dtype, plane, window, (2, 16), legal=False)
            cases[f"{name}, one plane"] = partial(pool, _rng(), dtype, one_plane, window, (1, 1), np.int64)
    return cases | _flat_index_cases(cells)


def _flat_index_cases(cells: int) -> dict[str, Callable[[], Case]]:
    """The same kernels behind operators with fewer axes: one dtype is enough."""
    cases: dict[str, Callable[[], Case]] = {}
    dtype = FLOATS[0]
    for operator in registry.names(is_gradient=True):
        axes = registry.axes_of(operator)
        plane = (round((cells / 32) ** (1 / axes)),) * axes
        if operator != UNPOOL and registry.family_of(operator) == "unpool":
            half = tuple(n // 2 for n in plane)
            cases[operator] = partial(unpool, _rng(), dtype, plane, half, (2, 16), operator=operator)
        if registry.family_of(operator) == "linear":
            half = tuple(n // 2 for n in plane)
            cases[operator] = partial(upsample, _rng(), operator, dtype, plane, half, batch=(2, 16))
        if registry.family_of(operator) == "average":
            cases[operator] = partial(average, _rng(), dtype, (2, 16), operator, plane)
        if operator != POOL and registry.family_of(operator) == "pool":
            for kind, window in WINDOWS.items():
                flat = window.of(operator)
                cases[f"{operator} {kind}"] = partial(pool, _rng(), dtype, plane, flat, (2, 16), operator=operator)
    return cases


def huge_cases() -> dict[str, Callable[[], Case]]:
    """Results of 18 MB, most of them as large as the gradient: these are written with non-temporal stores."""
    cases: dict[str, Callable[[], Case]] = {}
    for dtype in DTYPES[NEAREST3D]:
        width = 1152 // dtype.itemsize
        for outer in ((8, 32, width), (8, 32, 2 * width), (8, 32, 3 * width // 2), (8, 48, width), (4, 16, width // 2)):
            case = partial(upsample, _rng(), NEAREST3D, dtype, outer, (8, 32, width), batch=(4, 16))
            cases[f"{NEAREST3D} {dtype} to 8x32x{width} from {'x'.join(map(str, outer))}"] = case
    for dtype in (*FLOATS[:3], INTEGERS[0]):  # one of each size
        plane = (16, 32, 576 // dtype.itemsize)
        cases[f"{UNPOOL} {dtype} huge"] = partial(unpool, _rng(), dtype, plane, plane, (4, 16))
    for dtype in DTYPES[POOL]:
        plane = (16, 32, 576 // dtype.itemsize)
        for kind in ("touching", "overlapping", "dense"):
            cases[f"{POOL} {dtype} {kind} huge"] = partial(pool, _rng(), dtype, plane, WINDOWS[kind], (4, 16))
    return cases


def _rng() -> np.random.Generator:
    return np.random.default_rng(8)
