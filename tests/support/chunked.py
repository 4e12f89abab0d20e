"""Calls on dask arrays: the tensors of a case in chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

import acltwin.dask
from support.cases import (
    EXACT2D,
    EXACT3D,
    NEAREST3D,
    POOL,
    UNPOOL,
    Case,
    Window,
    pool,
    small_case,
    unpool,
    upsample,
)
from support.values import Array, random_array

BACKWARD = (EXACT3D, NEAREST3D, EXACT2D, UNPOOL, POOL)
FORWARD = tuple(operator.removesuffix("_backward") for operator in BACKWARD)
FUNCTIONS = [*FORWARD, *BACKWARD]
FLOAT32 = np.dtype(np.float32)
BATCH = (5, 4)

Cut = Callable[[Array], da.Array]


def forward_case(operator: str, dtype: np.dtype[Any] = FLOAT32, batch: tuple[int, ...] = BATCH) -> Case:
    """The forward pass of the operator's small case."""
    rng = np.random.default_rng(2)
    backward = operator + "_backward"
    if backward == UNPOOL:
        indices = rng.permuted(np.tile(np.arange(72), (*batch, 1)), axis=-1)[..., :24].reshape(*batch, 2, 3, 4)
        return Case(operator, (random_array(rng, indices.shape, dtype), indices), ((3, 4, 6), 2, 0))
    if backward == POOL:
        return Case(
            operator, (random_array(rng, (*batch, 5, 6, 9), dtype),), ((2, 3, 3), (2, 2, 1), (1, 0, 1), 1, False)
        )
    size = (3, 4, 8) if backward != EXACT2D else (4, 8)
    output_size = (5, 7, 19)[-len(size) :]
    return Case(operator, (random_array(rng, (*batch, *size), dtype),), (output_size,))


def case_of(operator: str, dtype: np.dtype[Any] = FLOAT32, batch: tuple[int, int] = BATCH) -> Case:
    """One ordinary call of any of the ten functions."""
    return forward_case(operator, dtype, batch) if operator in FORWARD else small_case(operator, dtype, batch)


def unusual_cases() -> dict[str, Case]:
    """Layouts and options beyond the ordinary."""
    rng = np.random.default_rng(3)
    last = {"data_format": "NDHWC"}
    window = Window((2, 2, 2), (2, 2, 2))
    return {
        "upsampling backward, channels last": upsample_last(rng, EXACT3D, (5, 3, 4, 8, 4)),
        "upsampling backward, channels last, its own order": upsample_last(rng, NEAREST3D, (5, 4, 3, 4, 8)),
        "upsampling backward, scales": upsample(rng, NEAREST3D, FLOAT32, (6, 8, 10), (3, 4, 5), (2.1, 2.0, 2.2), BATCH),
        "upsampling backward, PyTorch's rule": upsample(
            rng, NEAREST3D, FLOAT32, (14, 14, 14), (26, 26, 26), rule="torch"
        ),
        "upsampling, channels last": Case(
            "upsample_nearest3d", (random_array(rng, (5, 3, 4, 8, 4), FLOAT32),), ((5, 7, 19),), last
        ),
        "unpooling backward, 4-D": unpool(rng, FLOAT32, (4, 6, 9), (2, 3, 5), (5,)),
        "pooling backward, 4-D": pool(rng, FLOAT32, (4, 6, 8), window, (5,), np.int64),
        "unpooling, 4-D": forward_case("max_unpool3d", batch=(5,)),
        "pooling, 4-D": forward_case("max_pool3d_with_argmax", batch=(5,)),
        "pooling, int64": replace(forward_case("max_pool3d_with_argmax"), keywords={"index_dtype": "int64"}),
    }


def upsample_last(rng: np.random.Generator, operator: str, input_size: tuple[int, ...]) -> Case:
    """The gradient's axes are N, D, H, W, C; `input_size` has them in either order."""
    grad_out = random_array(rng, (5, 5, 7, 19, 4), FLOAT32)
    return Case(operator, (grad_out,), ((5, 7, 19), input_size), {"data_format": "NDHWC"})


def plane_axes(case: Case) -> range:
    rank = case.tensors[0].ndim
    if case.keywords.get("data_format") == "NDHWC":
        return range(1, 4)
    return range(rank - (2 if "2d" in case.operator else 3), rank)


def cut(case: Case, *sizes: int) -> Case:
    """The case on dask arrays, tensor i in chunks of sizes[i] along N and C; the last size counts on."""
    whole = plane_axes(case)
    tensors = []
    for position, tensor in enumerate(case.tensors):
        size = sizes[min(position, len(sizes) - 1)]
        chunks = tuple(-1 if axis in whole else size for axis in range(tensor.ndim))
        tensors.append(da.from_array(tensor, chunks=chunks))
    return replace(case, tensors=tuple(tensors))


def on_dask(case: Case, **keywords: Any) -> Any:
    """Makes the call on the case's dask arrays. Nothing is computed yet."""
    function = partial(getattr(acltwin.dask, case.operator), **case.keywords, **keywords)
    return function(*case.tensors, *case.parameters)


def results(result: Any) -> tuple[Any, ...]:
    """One result or two, as a tuple."""
    return result if isinstance(result, tuple) else (result,)
