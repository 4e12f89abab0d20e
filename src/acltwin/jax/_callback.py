"""The engine that needs nothing of jaxlib: the array function, called back in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from acltwin import _core
from acltwin.jax._static import Static


def call_back(static: Static, result_shapes: Sequence[Any], many_devices: bool, *operands: Any) -> Any:
    def run(*tensors: Any) -> tuple[Any, ...]:
        arrays = _turned(static, [np.asarray(tensor) for tensor in tensors], -1, 1)
        try:
            results = _run(static, arrays)
        except IndexError:
            if not many_devices:
                raise
            results = _run_planes(static, arrays)
        return tuple(_turned(static, results, 1, -1))

    results = tuple(
        jax.ShapeDtypeStruct(shape, jnp.dtype(dtype))
        for shape, (dtype, _) in zip(result_shapes, static.results, strict=True)
    )
    return jax.pure_callback(run, results, *operands)


def _turned(static: Static, arrays: Sequence[Any], source: int, target: int) -> list[Any]:
    return [np.moveaxis(array, source, target) if static.channels_last else array for array in arrays]


def _run(static: Static, arrays: list[Any]) -> Sequence[Any]:
    outcome = _core.run_inferred(static.operator, *static.positional(arrays))
    return outcome if isinstance(outcome, tuple) else (outcome,)


def _run_planes(static: Static, arrays: list[Any]) -> Sequence[Any]:
    """Plane by plane, one that fails is marked: see native/python/xla_planes.h."""
    batch = arrays[0].shape[: -len(static.spec.axes)]
    results = [np.empty((*batch, *plane), jnp.dtype(dtype)) for dtype, plane in static.results]
    for position in np.ndindex(*batch):
        plane = tuple(slice(i, i + 1) for i in position)
        try:
            outcome = _run(static, [array[plane] for array in arrays])
        except IndexError:
            outcome = [_mark(result.dtype) for result in results]
        for result, value in zip(results, outcome, strict=True):
            result[plane] = value
    return results


def _mark(dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.nan
    limits = np.iinfo(dtype)
    return limits.min or limits.max
