"""Calls on dask arrays: the tensors of a case in chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from acltwin.ops import OPERATORS as SPECS
from support import cases, forward, registry
from support.cases import EXACT3D, NEAREST3D, Case, Window, pool, unpool, upsample
from support.lazy import acltwin_dask, da
from support.values import Array, random_array

FUNCTIONS = [name for name in (*forward.OPERATORS, *cases.OPERATORS) if SPECS[name].planewise]
FLOAT32 = np.dtype(np.float32)
BATCH = (5, 4)

Cut = Callable[[Array], Any]


def case_of(operator: str, dtype: np.dtype[Any] = FLOAT32, batch: tuple[int, ...] = BATCH) -> Case:
    """One ordinary call of any operator, with a batch that can be cut."""
    return forward.any_case(operator, dtype, batch)


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
        "unpooling, 4-D": case_of("max_unpool3d", batch=(5,)),
        "pooling, 4-D": case_of("max_pool3d_with_argmax", batch=(5,)),
        "pooling, int64": replace(case_of("max_pool3d_with_argmax"), keywords={"index_dtype": "int64"}),
    }


def upsample_last(rng: np.random.Generator, operator: str, input_size: tuple[int, ...]) -> Case:
    """The gradient's axes are N, D, H, W, C; `input_size` has them in either order."""
    grad_out = random_array(rng, (5, 5, 7, 19, 4), FLOAT32)
    return Case(operator, (grad_out,), ((5, 7, 19), input_size), {"data_format": "NDHWC"})


def plane_axes(case: Case) -> range:
    rank = case.tensors[0].ndim
    if case.keywords.get("data_format") == "NDHWC":
        return range(1, 4)
    return range(rank - registry.axes_of(case.operator), rank)


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
    function = partial(getattr(acltwin_dask, case.operator), **case.keywords, **keywords)
    return function(*case.tensors, *case.parameters)


def results(result: Any) -> tuple[Any, ...]:
    """One result or two, as a tuple."""
    return result if isinstance(result, tuple) else (result,)
