"""Calls of the operators with random tensors, ready to be made with other layouts, libraries or options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import acltwin
from support import registry
from support.values import BFLOAT16, FLOATS, Array, random_array

EXACT3D = "upsample_nearest_exact3d_backward"
NEAREST3D = "upsample_nearest3d_backward"
EXACT2D = "upsample_nearest_exact2d_backward"
UNPOOL = "max_unpool3d_backward"
POOL = "max_pool3d_with_argmax_backward"
UPSAMPLE = registry.names(is_gradient=True, family="upsample")
OPERATORS = registry.names(is_gradient=True)
AXES = {operator: registry.axes_of(operator) for operator in UPSAMPLE}
DTYPES = {operator: registry.dtypes_of(operator) for operator in OPERATORS}
OPERATOR_DTYPES = [(operator, dtype) for operator in OPERATORS for dtype in DTYPES[operator]]
TENSOR_NAMES = {operator: registry.tensor_names(operator) for operator in OPERATORS}

Values = Callable[[np.random.Generator, tuple[int, ...], np.dtype[Any]], Array]


def name_of(dtype: np.dtype[Any]) -> str:
    return "bfloat16" if dtype == BFLOAT16 else dtype.name


@dataclass(frozen=True)
class Case:
    """One call. Tensors and parameters stand in documented order."""

    operator: str
    tensors: tuple[Any, ...]
    parameters: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)

    def run(self, **keywords: Any) -> Any:
        return getattr(acltwin, self.operator)(*self.tensors, *self.parameters, **self.keywords, **keywords)

    def mapped(self, change: Callable[[Any], Any]) -> Case:
        """The same call with every tensor changed."""
        return replace(self, tensors=tuple(change(tensor) for tensor in self.tensors))

    def with_tensor(self, position: int, tensor: Any) -> Case:
        return replace(self, tensors=(*self.tensors[:position], tensor, *self.tensors[position + 1 :]))

    @property
    def result_shape(self) -> tuple[int, ...]:
        if self.operator in UPSAMPLE:
            return tuple(self.parameters[1])
        return tuple(self.tensors[1].shape)


def upsample(
    rng: np.random.Generator,
    operator: str,
    dtype: np.dtype[Any],
    outer: Sequence[int],
    inner: Sequence[int],
    scales: Sequence[float | None] = (),
    batch: tuple[int, ...] = (2, 3),
    values: Values = random_array,
    **keywords: Any,
) -> Case:
    """`outer` are the spatial sizes of the gradient that comes in, `inner` those of the result."""
    grad_out = values(rng, (*batch, *outer), dtype)
    return Case(operator, (grad_out,), (tuple(outer), (*batch, *inner), *scales), keywords)


def unpool(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    outer: Sequence[int],
    inner: Sequence[int],
    batch: tuple[int, ...] = (2, 3),
    index_dtype: type = np.int64,
    values: Values = random_array,
) -> Case:
    """A gather of `inner` cells from planes of `outer` cells; indices may repeat."""
    grad_output = values(rng, (*batch, *outer), dtype)
    indices: Array = rng.integers(0, int(np.prod(outer)), (*batch, *inner)).astype(index_dtype)
    return Case(UNPOOL, (grad_output, np.zeros(indices.shape, dtype), indices), (tuple(outer), 2, 0))


@dataclass(frozen=True)
class Window:
    kernel: tuple[int, int, int]
    stride: tuple[int, int, int]
    padding: tuple[int, int, int] = (0, 0, 0)
    dilation: tuple[int, int, int] = (1, 1, 1)
    ceil_mode: bool = False

    @property
    def parameters(self) -> tuple[Any, ...]:
        return (self.kernel, self.stride, self.padding, self.dilation, self.ceil_mode)


def random_window(rng: np.random.Generator) -> tuple[Window, list[int]]:
    """Windows that touch, overlap or leave gaps, padded, dilated, with ceil_mode; and a plane that they fit."""
    kernel, stride = (tuple(int(n) for n in rng.integers(1, 5, 3)) for _ in range(2))
    if rng.random() < 0.4:
        stride = kernel
    padding = tuple(int(rng.integers(0, k // 2, endpoint=True)) for k in kernel)
    dilation = tuple(int(n) for n in rng.integers(1, 3, 3)) if rng.random() < 0.3 else (1, 1, 1)
    plane = [int(d * (k - 1) + 1 + rng.integers(0, 12)) for k, d in zip(kernel, dilation, strict=True)]
    if rng.random() < 0.4:
        plane[2] += int(rng.integers(20, 60))  # long rows reach the vector code
    return Window(kernel, stride, padding, dilation, bool(rng.random() < 0.3)), plane  # type: ignore[arg-type]


def pool(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    plane: Sequence[int],
    window: Window,
    batch: tuple[int, ...] = (2, 3),
    index_dtype: type = np.int32,
    legal: bool = True,
    values: Values = random_array,
) -> Case:
    """The backward pass of a pooling; its indices, or any indices into the plane."""
    source = rng.standard_normal((*batch, *plane)).astype(np.float32)
    _, indices = acltwin.max_pool3d_with_argmax(source, *window.parameters)
    if not legal:
        indices = rng.integers(0, int(np.prod(plane)), indices.shape)
    grad_output = values(rng, indices.shape, dtype)
    return Case(POOL, (grad_output, source.astype(dtype), indices.astype(index_dtype)), window.parameters)


def small_case(operator: str, dtype: np.dtype[Any] = FLOATS[0], batch: tuple[int, ...] = (2, 3), seed: int = 1) -> Case:
    """One ordinary call of each operator, with sizes that divide nothing."""
    rng = np.random.default_rng(seed)
    if operator == UNPOOL:
        return unpool(rng, dtype, (4, 6, 9), (2, 3, 5), batch)
    if operator == POOL:
        return pool(rng, dtype, (5, 6, 9), Window((2, 3, 3), (2, 2, 1), (1, 0, 1)), batch)
    outer, inner = (size[-AXES[operator] :] for size in ((5, 7, 19), (3, 4, 8)))
    return upsample(rng, operator, dtype, outer, inner, batch=batch)
