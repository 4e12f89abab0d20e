"""The same call in other libraries, as their users write it.

A library that is not installed is left out. Its arrays share the memory of the problem's NumPy arrays wherever the
library can, so that nobody is timed on a better placed copy.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bench.grid import (
    EXACT2D,
    EXACT3D,
    FORWARD,
    FORWARD_EXACT2D,
    FORWARD_EXACT3D,
    FORWARD_NEAREST3D,
    FORWARD_POOL,
    FORWARD_UNPOOL,
    NEAREST3D,
    POOL,
    UNPOOL,
)
from bench.problems import Array, Problem, Result

Call = Callable[[], Any]

ONLY_PYTORCH = (FORWARD_UNPOOL, FORWARD_POOL)
"""Operators that NumPy and JAX have no short form of."""


@dataclass(frozen=True)
class Calls:
    """A library's call with a new result each time, and, if it can, into memory that is already there."""

    allocate: Call
    into: Callable[[Any], Call] | None = None


def installed(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def ours(problem: Problem) -> Calls:
    function = getattr(importlib.import_module("acltwin"), problem.operator)
    arguments, keywords = (*problem.tensors, *problem.parameters), problem.keywords
    return Calls(
        partial(function, *arguments, **keywords),
        lambda out: partial(function, *arguments, **keywords, out=out),
    )


# ---- PyTorch: its own operators; autograd of max_unpool3d is a gather ----

ATEN = {
    EXACT3D: "_upsample_nearest_exact3d_backward",
    NEAREST3D: "upsample_nearest3d_backward",
    EXACT2D: "_upsample_nearest_exact2d_backward",
    POOL: "max_pool3d_with_indices_backward",
    FORWARD_EXACT3D: "_upsample_nearest_exact3d",
    FORWARD_NEAREST3D: "upsample_nearest3d",
    FORWARD_EXACT2D: "_upsample_nearest_exact2d",
    FORWARD_UNPOOL: "max_unpool3d",
    FORWARD_POOL: "max_pool3d_with_indices",
}


def torch_tensor(array: Array) -> Any:
    """The same memory as a tensor. PyTorch takes no bfloat16 from NumPy, but it takes its bits."""
    torch = importlib.import_module("torch")
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def torch_array(tensor: Any) -> Array:
    """The same memory as an array, bfloat16 widened to float32."""
    torch = importlib.import_module("torch")
    array: Array = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    return array


def torch_result(result: Any) -> Result:
    """A tensor, or a pair of them, as arrays."""
    return torch_array(result) if hasattr(result, "dtype") else (torch_array(result[0]), torch_array(result[1]))


def pytorch(problem: Problem) -> Calls:
    torch = importlib.import_module("torch")
    if problem.operator in FORWARD:
        return _pytorch_forward(torch, problem)
    tensors = [torch_tensor(tensor) for tensor in problem.tensors]
    if problem.operator == UNPOOL:
        return _pytorch_gather(torch, tensors[0], tensors[2].long())
    function = getattr(torch.ops.aten, ATEN[problem.operator])
    if problem.operator == POOL:
        grad_output, values, indices = tensors[0], tensors[1], tensors[2].long()
        arguments = (grad_output, values, *problem.parameters, indices)
    else:
        output_size, input_size, *_ = problem.parameters
        arguments = (tensors[0], output_size, input_size)
    return Calls(
        partial(function.default, *arguments),
        lambda out: partial(function.grad_input, *arguments, grad_input=torch_tensor(out)),
    )


def _pytorch_forward(torch: Any, problem: Problem) -> Calls:
    function = getattr(torch.ops.aten, ATEN[problem.operator])
    tensors = [torch_tensor(tensor) for tensor in problem.tensors]
    if problem.operator == FORWARD_POOL:
        pooling = (*tensors, *problem.parameters)

        def into_pair(out: tuple[Array, Array]) -> Call:
            values, indices = map(torch_tensor, out)
            wide = indices.long()  # the same memory unless it is int32, which PyTorch does not write
            return partial(function.out, *pooling, out=values, indices=wide)

        return Calls(partial(function.default, *pooling), into_pair)
    arguments: tuple[Any, ...] = (tensors[0], problem.parameters[0])
    if problem.operator == FORWARD_UNPOOL:
        arguments = (tensors[0], tensors[1].long(), *problem.parameters)
    return Calls(
        partial(function.default, *arguments),
        lambda out: partial(function.out, *arguments, out=torch_tensor(out)),
    )


def _pytorch_gather(torch: Any, source: Any, indices: Any) -> Calls:
    """What autograd does for max_unpool3d; the flat views belong to it."""

    def allocate() -> Any:
        return torch.gather(source.flatten(-3), -1, indices.flatten(-3)).view(indices.shape)

    def write(out: Any) -> Any:
        return torch.gather(source.flatten(-3), -1, indices.flatten(-3), out=out.flatten(-3))

    return Calls(allocate, lambda out: partial(write, torch_tensor(out)))


# ---- NumPy: reductions over blocks or segments, take_along_axis, bincount (faster than np.add.at) ----


def numpy(problem: Problem) -> Calls:
    if problem.operator == UNPOOL:
        return Calls(partial(_numpy_gather, problem))
    if problem.operator == POOL:
        return Calls(partial(_numpy_scatter, problem))
    if problem.operator in FORWARD:
        return Calls(partial(_numpy_take, problem))
    return Calls(partial(_numpy_upsample, problem))


def _sources(problem: Problem) -> list[Array]:
    """Of an upsampling, per axis: the input cell of each output cell."""
    sizes = zip(problem.tensors[0].shape[2:], problem.result_shape[2:], strict=True)
    shift = 0.0 if problem.operator == FORWARD_NEAREST3D else 0.5
    return [np.floor((np.arange(outer) + shift) * (inner / outer)).astype(np.int64) for inner, outer in sizes]


def _numpy_take(problem: Problem) -> Array:
    result = problem.tensors[0]
    for axis, source in enumerate(_sources(problem), start=2):
        result = np.take(result, source, axis)
    return result


def _numpy_gather(problem: Problem) -> Array:
    grad_output, _, indices = problem.tensors
    flat = grad_output.reshape(*grad_output.shape[:2], -1)
    return np.take_along_axis(flat, indices.reshape(*indices.shape[:2], -1), -1).reshape(indices.shape)


def _numpy_scatter(problem: Problem) -> Array:
    grad_output, _, indices = problem.tensors
    planes = int(np.prod(problem.result_shape[:2]))
    cells = int(np.prod(problem.result_shape[2:]))
    places = indices.reshape(planes, -1) + np.arange(planes)[:, None] * cells
    sums = np.bincount(places.ravel(), weights=grad_output.ravel(), minlength=planes * cells)
    return sums.astype(problem.dtype).reshape(problem.result_shape)


def _numpy_upsample(problem: Problem) -> Array:
    grad_out, inner = problem.tensors[0], problem.result_shape[2:]
    if blocks := _blocks(grad_out.shape, inner):
        shape, axes = blocks
        total: Array = grad_out.reshape(shape).sum(axes)
        return total
    result = grad_out
    for axis, n in enumerate(inner, start=2):
        result = np.add.reduceat(result, _first_cells(n, grad_out.shape[axis], problem.operator), axis)
    return result


def _blocks(outer_shape: tuple[int, ...], inner: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Whole factors: the shape with one axis per factor, and those axes."""
    outer = outer_shape[2:]
    if any(o % i for o, i in zip(outer, inner, strict=True)):
        return None
    pairs = tuple(n for o, i in zip(outer, inner, strict=True) for n in (i, o // i))
    return (*outer_shape[:2], *pairs), tuple(range(3, 3 + 2 * len(inner), 2))


def _first_cells(inner: int, outer: int, operator: str) -> Array:
    """The first gradOut cell of each gradInput cell, for outer >= inner."""
    shift = 0.0 if operator == NEAREST3D else 0.5
    cells: Array = np.ceil(np.arange(inner) * (outer / inner) - shift).astype(np.int64)
    return cells


# ---- JAX: compiled; whole factors as block sums, others as the gradient of a resize by indexing ----


def jax(problem: Problem) -> Calls:
    jax_module = importlib.import_module("jax")
    tensors = [jax_module.device_put(t if t.dtype.kind != "i" else t.astype(np.int32)) for t in _jax_inputs(problem)]
    compute = jax_module.jit(_jax_function(problem))
    return Calls(lambda: compute(*tensors).block_until_ready())


def _jax_inputs(problem: Problem) -> tuple[Array, ...]:
    return problem.tensors if len(problem.tensors) == 1 else (problem.tensors[0], problem.tensors[2])


def _jax_function(problem: Problem) -> Callable[..., Any]:
    jnp = importlib.import_module("jax.numpy")
    shape = problem.result_shape
    planes = shape[0] * shape[1]
    if problem.operator == UNPOOL:

        def gather(grad_output: Any, indices: Any) -> Any:
            flat = grad_output.reshape(planes, -1)
            return jnp.take_along_axis(flat, indices.reshape(planes, -1), -1).reshape(shape)

        return gather
    if problem.operator == POOL:

        def scatter(grad_output: Any, indices: Any) -> Any:
            zeros = jnp.zeros((planes, int(np.prod(shape[2:]))), grad_output.dtype)
            rows = jnp.arange(planes)[:, None]
            return zeros.at[rows, indices.reshape(planes, -1)].add(grad_output.reshape(planes, -1)).reshape(shape)

        return scatter
    if problem.operator in FORWARD:

        def take(values: Any) -> Any:
            for axis, source in enumerate(_sources(problem), start=2):
                values = jnp.take(values, source, axis=axis)
            return values

        return take
    return _jax_upsample(problem)


def _jax_upsample(problem: Problem) -> Callable[..., Any]:
    jax_module = importlib.import_module("jax")
    jnp = importlib.import_module("jax.numpy")
    outer_shape, shape = problem.tensors[0].shape, problem.result_shape
    if blocks := _blocks(outer_shape, shape[2:]):
        return lambda grad_out: grad_out.reshape(blocks[0]).sum(blocks[1])
    sources = []
    for axis in range(2, len(shape)):
        first = _first_cells(shape[axis], outer_shape[axis], problem.operator)
        sources.append(np.searchsorted(first, np.arange(outer_shape[axis]), side="right") - 1)

    def forward(values: Any) -> Any:
        for axis, source in enumerate(sources, start=2):
            values = jnp.take(values, source, axis=axis)
        return values

    def backward(grad_out: Any) -> Any:
        (gradient,) = jax_module.linear_transpose(forward, jax_module.ShapeDtypeStruct(shape, grad_out.dtype))(grad_out)
        return gradient

    return backward
