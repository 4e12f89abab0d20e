"""Calls of the operators with random tensors, ready to be made with other layouts, libraries or options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import acltwin
from acltwin.ops import OPERATORS as SPECS
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

    def mapped(self, change: Callable[[Any], Any], *, masks: bool = False) -> Case:
        """The same call with every tensor changed; masks must stay contiguous."""
        holds = [argument.holds for argument in SPECS[self.operator].inputs]
        changed = (
            tensor if what == "mask" and not masks else change(tensor)
            for tensor, what in zip(self.tensors, holds, strict=False)
        )
        return replace(self, tensors=tuple(changed))

    def with_tensor(self, position: int, tensor: Any) -> Case:
        return replace(self, tensors=(*self.tensors[:position], tensor, *self.tensors[position + 1 :]))

    @property
    def result_shape(self) -> tuple[int, ...]:
        if len(self.tensors) == 1:
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
    operator: str = UNPOOL,
) -> Case:
    """A gather of `inner` cells from planes of `outer` cells; indices may repeat."""
    grad_output = values(rng, (*batch, *outer), dtype)
    indices: Array = rng.integers(0, int(np.prod(outer)), (*batch, *inner)).astype(index_dtype)
    tensors = (grad_output, np.zeros(indices.shape, dtype), indices)
    return Case(operator, tensors, (tuple(outer), *undone(operator)))


def undone(operator: str) -> tuple[int, ...]:
    """Stride and padding of the pooling that an unpooling undoes, if it wants to know them."""
    return (2, 0) if any(argument.name == "stride" for argument in SPECS[operator].inputs) else ()


@dataclass(frozen=True)
class Window:
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...] = (0, 0, 0)
    dilation: tuple[int, ...] = (1, 1, 1)
    ceil_mode: bool = False

    def of(self, operator: str) -> Window:
        """The same windows along the axes that the operator has."""
        axes = registry.axes_of(operator)
        sizes = (self.kernel, self.stride, self.padding, self.dilation)
        return Window(*(values[-axes:] for values in sizes), self.ceil_mode)

    @property
    def parameters(self) -> tuple[Any, ...]:
        return (self.kernel, self.stride, self.padding, self.dilation, self.ceil_mode)


USUAL_WINDOW = Window((2, 3, 3), (2, 2, 1), (1, 0, 1))


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
    return Window(kernel, stride, padding, dilation, bool(rng.random() < 0.3)), plane


def pool(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    plane: Sequence[int],
    window: Window,
    batch: tuple[int, ...] = (2, 3),
    index_dtype: type = np.int32,
    legal: bool = True,
    values: Values = random_array,
    operator: str = POOL,
) -> Case:
    """The backward pass of a pooling; its indices, or any indices into the plane."""
    source = rng.standard_normal((*batch, *plane)).astype(np.float32)
    _, indices = getattr(acltwin, SPECS[operator].partner)(source, *window.parameters)
    if not legal:
        indices = rng.integers(0, int(np.prod(plane)), indices.shape)
    grad_output = values(rng, indices.shape, dtype)
    return Case(operator, (grad_output, source.astype(dtype), indices.astype(index_dtype)), window.parameters)


def masked_pool(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    plane: Sequence[int],
    window: Window,
    batch: tuple[int, ...] = (2, 3),
    values: Values = random_array,
    *,
    operator: str,
) -> Case:
    """The backward pass of a pooling with the device's mask."""
    source = rng.standard_normal((*batch, *plane)).astype(np.float32)
    pooled, mask = getattr(acltwin, SPECS[operator].partner)(source, *window.parameters)
    return Case(operator, (values(rng, pooled.shape, dtype), source.astype(dtype), mask), window.parameters)


def adaptive_pool(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    plane: Sequence[int],
    size: Sequence[int],
    batch: tuple[int, ...] = (2, 3),
    values: Values = random_array,
    *,
    operator: str,
) -> Case:
    """The backward pass of a pooling from planes of `plane` cells to `size` ones."""
    source = rng.standard_normal((*batch, *plane)).astype(np.float32)
    _, indices = getattr(acltwin, SPECS[operator].partner)(source, tuple(size))
    index_dtype = SPECS[operator].argument("indices").dtypes[0]  # which every SoC has
    return Case(operator, (values(rng, indices.shape, dtype), source.astype(dtype), indices.astype(index_dtype)), ())


def averaging(operator: str) -> tuple[Any, ...]:
    """The parameters of an ordinary average: windows, or for the forward operator a size."""
    spec, axes = SPECS[operator], registry.axes_of(operator)
    if any(argument.name == "kernelSize" for argument in spec.inputs):
        return (*USUAL_WINDOW.of(operator).parameters[:3], False, False, None)
    return () if spec.is_gradient else ((3, 4, 5)[-axes:],)


def average(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    batch: tuple[int, ...],
    operator: str,
    plane: Sequence[int] = (5, 6, 9),
) -> Case:
    """The gradient of an ordinary average."""
    source = np.zeros((*batch, *plane[-registry.axes_of(operator) :]), dtype)
    pooled = getattr(acltwin, SPECS[operator].partner)(source, *averaging(SPECS[operator].partner))
    return Case(operator, (random_array(rng, pooled.shape, dtype), source), averaging(operator))


def small_case(operator: str, dtype: np.dtype[Any] = FLOATS[0], batch: tuple[int, ...] = (2, 3), seed: int = 1) -> Case:
    """One ordinary call of each operator, with sizes that divide nothing."""
    rng, family, axes = np.random.default_rng(seed), SPECS[operator].family, registry.axes_of(operator)
    if family == "unpool":
        return unpool(rng, dtype, (4, 6, 9)[-axes:], (2, 3, 5)[-axes:], batch, operator=operator)
    if family == "pool":
        return pool(rng, dtype, (5, 6, 9)[-axes:], USUAL_WINDOW.of(operator), batch, operator=operator)
    if family == "masked_pool":
        return masked_pool(rng, dtype, (5, 6, 9)[-axes:], USUAL_WINDOW.of(operator), batch, operator=operator)
    if family == "adaptive_pool":
        return adaptive_pool(rng, dtype, (5, 7, 9)[-axes:], (2, 3, 4)[-axes:], batch, operator=operator)
    if family == "average":
        return average(rng, dtype, batch, operator)
    outer, inner = (size[-axes:] for size in ((5, 7, 19), (3, 4, 8)))
    return upsample(rng, operator, dtype, outer, inner, batch=batch)
