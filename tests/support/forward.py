"""Calls of the forward operators with random tensors, and the gradients that belong to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acltwin.ops import OPERATORS as SPECS
from support import cases, registry
from support.cases import Case, Values, Window
from support.values import FLOATS, Array, random_array

EXACT3D = "upsample_nearest_exact3d"
NEAREST3D = "upsample_nearest3d"
EXACT2D = "upsample_nearest_exact2d"
UNPOOL = "max_unpool3d"
POOL = "max_pool3d_with_argmax"
UPSAMPLE = registry.names(is_gradient=False, family="upsample")
OPERATORS = registry.names(is_gradient=False)
AXES = {operator: registry.axes_of(operator) for operator in UPSAMPLE}
LAST = {operator: SPECS[operator].array_formats[1] for operator in UPSAMPLE}  # what data_format calls channels-last

DTYPES = {operator: registry.dtypes_of(operator) for operator in OPERATORS}
OPERATOR_DTYPES = [(operator, dtype) for operator in OPERATORS for dtype in DTYPES[operator]]
TENSOR_NAMES = {operator: registry.tensor_names(operator) for operator in OPERATORS}


def upsample(
    rng: np.random.Generator,
    operator: str,
    dtype: np.dtype[Any],
    inner: Sequence[int],
    outer: Sequence[int],
    scales: Sequence[float | None] = (),
    batch: tuple[int, ...] = (2, 3),
    values: Values = random_array,
    **keywords: Any,
) -> Case:
    """From planes of `inner` cells to planes of `outer` cells."""
    return Case(operator, (values(rng, (*batch, *inner), dtype),), (tuple(outer), *scales), keywords)


def unpool(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    inner: Sequence[int],
    outer: Sequence[int],
    batch: tuple[int, ...] = (2, 3),
    index_dtype: type = np.int64,
    values: Values = random_array,
    repeated: bool = False,
    operator: str = UNPOOL,
) -> Case:
    """Planes of `inner` cells scattered into planes of `outer` cells; no place is named twice unless `repeated`."""
    cells, places = int(np.prod(inner)), int(np.prod(outer))
    planes = [
        rng.integers(0, places, cells) if repeated else rng.permutation(places)[:cells]
        for _ in range(int(np.prod(batch)))
    ]
    indices: Array = np.array(planes, index_dtype).reshape(*batch, *inner)
    return Case(operator, (values(rng, indices.shape, dtype), indices), (tuple(outer), *cases.undone(operator)))


def pool(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    plane: Sequence[int],
    window: Window,
    batch: tuple[int, ...] = (2, 3),
    values: Values = random_array,
    operator: str = POOL,
    **keywords: Any,
) -> Case:
    return Case(operator, (values(rng, (*batch, *plane), dtype),), window.parameters, keywords)


def small_case(operator: str, dtype: np.dtype[Any] = FLOATS[0], batch: tuple[int, ...] = (2, 3), seed: int = 1) -> Case:
    """One ordinary call of each operator, with sizes that divide nothing."""
    rng, family, axes = np.random.default_rng(seed), SPECS[operator].family, registry.axes_of(operator)
    if family == "unpool":
        return unpool(rng, dtype, (2, 3, 5)[-axes:], (4, 6, 9)[-axes:], batch, operator=operator)
    if family in ("pool", "plain_pool", "masked_pool"):
        return pool(rng, dtype, (5, 6, 9)[-axes:], cases.USUAL_WINDOW.of(operator), batch, operator=operator)
    if family == "adaptive_pool":
        plane = random_array(rng, (*batch, *(5, 7, 9)[-axes:]), dtype)
        return Case(operator, (plane,), ((2, 3, 4)[-axes:],))
    if family == "average":
        source = random_array(rng, (*batch, *(5, 6, 9)[-axes:]), dtype)
        return Case(operator, (source,), cases.averaging(operator))
    inner, outer = (size[-axes:] for size in ((3, 4, 8), (5, 7, 19)))
    return upsample(rng, operator, dtype, inner, outer, batch=batch)


def any_case(operator: str, dtype: np.dtype[Any] = FLOATS[0], batch: tuple[int, ...] = (2, 3), seed: int = 1) -> Case:
    """One ordinary call of any operator, forward or backward."""
    make = cases.small_case if SPECS[operator].is_gradient else small_case
    return make(operator, dtype, batch, seed)


def results(case: Case, **keywords: Any) -> tuple[Any, ...]:
    """What the call returns, always as a tuple."""
    returned = case.run(**keywords)
    return returned if isinstance(returned, tuple) else (returned,)


def as_returned(arrays: Sequence[Any]) -> Any:
    """One result, or a pair: as the function returns them, and as `out=` takes them."""
    return tuple(arrays) if len(arrays) > 1 else arrays[0]


def gradient(case: Case, grad: Array) -> Case:
    """The gradient's call for a forward call whose (first) result has the gradient `grad`."""
    operator, family = SPECS[case.operator].partner, SPECS[case.operator].family
    if family == "unpool":
        return Case(operator, (grad, *case.tensors), case.parameters)
    if family in ("pool", "masked_pool"):
        return Case(operator, (grad, case.tensors[0], results(case)[1]), case.parameters)
    if family == "adaptive_pool":
        return Case(operator, (grad, case.tensors[0], results(case)[1]), ())
    if family == "average":
        return Case(operator, (grad, case.tensors[0]), case.parameters if "adaptive" not in operator else ())
    (image,), (output_size, *scales) = case.tensors, case.parameters  # alignCorners among the scales
    return Case(operator, (grad,), (output_size, image.shape, *scales), case.keywords)
