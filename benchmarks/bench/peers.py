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

from bench.cases import Case
from bench.problems import Array, Problem, Result, parameter_names

Call = Callable[[], Any]


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


def ours_on_tensors(problem: Problem) -> Calls:
    """Our operator with a new result, on PyTorch's tensors."""
    function = getattr(importlib.import_module("acltwin"), problem.operator)
    tensors = [torch_tensor(tensor) for tensor in problem.tensors]
    return Calls(partial(function, *tensors, *problem.parameters, **problem.keywords))


def _tensor_pair(out: Any) -> list[Any]:
    return [torch_tensor(array) for array in (out if isinstance(out, tuple) else (out,))]


def pytorch(problem: Problem) -> Calls:
    """PyTorch's own operator with the problem's arguments, scales left out: that is what it does with sizes alone."""
    counterparts = importlib.import_module("acltwin.torch._aten").COUNTERPARTS
    found = [counterpart for counterpart in counterparts.values() if counterpart.spec.name == problem.operator]
    if not found:
        return _pytorch_gather(problem)
    operator, order = found[0].operator, found[0].order
    arguments = [(place, value) for place, value in zip(order, _pytorch_arguments(problem), strict=False)]
    in_order = [value for _, value in sorted(arguments, key=lambda pair: pair[0])]
    into = _overload_with_out(operator)
    names = [argument.name for argument in into._schema.arguments if argument.is_out]

    def into_memory(out: Any) -> Call:
        # int32 indices, which PyTorch does not write, get memory of their own
        targets = [tensor.long() if place else tensor for place, tensor in enumerate(_tensor_pair(out))]
        return partial(into, *in_order, **dict(zip(names, targets, strict=True)))

    return Calls(partial(operator, *in_order), into_memory)


def _overload_with_out(operator: Any) -> Any:
    packet = operator.overloadpacket
    overloads = (getattr(packet, name) for name in packet.overloads())
    return next(one for one in overloads if any(argument.is_out for argument in one._schema.arguments))


def _pytorch_arguments(problem: Problem) -> list[Any]:
    """Those of ours that PyTorch needs, in our order; its indices are int64."""
    kinds = [argument.holds for argument in problem.spec.parameters if argument.kind == "tensor"]
    tensors = [torch_tensor(tensor) for tensor in problem.tensors]
    indexed = [tensor.long() if kind == "indices" else tensor for kind, tensor in zip(kinds, tensors, strict=True)]
    named = zip(parameter_names(problem.spec), problem.parameters, strict=True)
    return [*indexed, *(value for name, value in named if name != "scale")]


def _pytorch_gather(problem: Problem) -> Calls:
    """What autograd does for max_unpool3d; the flat views belong to it."""
    torch = importlib.import_module("torch")
    source, _, indices = _pytorch_arguments(problem)[:3]

    def gather(source: Any, indices: Any) -> Any:
        return torch.gather(source.flatten(2), -1, indices.flatten(2)).view(indices.shape)

    def write(out: Any) -> Any:
        return torch.gather(source.flatten(2), -1, indices.flatten(2), out=out.flatten(2))

    return Calls(partial(gather, source, indices), lambda out: partial(write, torch_tensor(out)))


def pytorch_computes(problem: Problem) -> bool:
    """Whether PyTorch is there and has its operator for these tensors; some it lacks in 16 bits."""
    if not installed("torch"):
        return False
    try:
        pytorch(problem).allocate()
    except RuntimeError as error:  # NotImplementedError is one
        if "not implemented for" not in str(error):
            raise
        return False
    return True


def inductor(problem: Problem) -> Calls:
    """PyTorch's operator, compiled by `torch.compile`."""
    torch = importlib.import_module("torch")
    call = pytorch(problem).allocate
    if not isinstance(call, partial):
        raise ValueError("expected an operator of PyTorch's with its arguments")
    torch.compiler.reset()
    return Calls(partial(torch.compile(call.func, dynamic=False), *call.args))


# ---- NumPy: reductions over blocks or segments, take_along_axis, bincount (faster than np.add.at) ----


def only_pytorch(problem_or_case: Problem | Case) -> bool:
    """Whether NumPy and JAX have no short form of the operator: all but copies, their gradients, and scattering."""
    spec = problem_or_case.spec
    return spec.family not in ("upsample", "pool", "unpool") or (not spec.is_gradient and spec.family != "upsample")


def numpy(problem: Problem) -> Calls:
    if problem.spec.family == "unpool":
        return Calls(partial(_numpy_gather, problem))
    if problem.spec.family == "pool":
        return Calls(partial(_numpy_scatter, problem))
    return Calls(partial(_numpy_upsample if problem.spec.is_gradient else _numpy_take, problem))


def _sources(problem: Problem) -> list[Array]:
    """Of an upsampling, per axis: the input cell of each output cell."""
    sizes = zip(problem.tensors[0].shape[2:], problem.result_shape[2:], strict=True)
    shift = 0.5 if problem.spec.is_exact else 0.0
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
        result = np.add.reduceat(result, _first_cells(n, grad_out.shape[axis], problem.spec.is_exact), axis)
    return result


def _blocks(outer_shape: tuple[int, ...], inner: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Whole factors: the shape with one axis per factor, and those axes."""
    outer = outer_shape[2:]
    if any(o % i for o, i in zip(outer, inner, strict=True)):
        return None
    pairs = tuple(n for o, i in zip(outer, inner, strict=True) for n in (i, o // i))
    return (*outer_shape[:2], *pairs), tuple(range(3, 3 + 2 * len(inner), 2))


def _first_cells(inner: int, outer: int, exact: bool) -> Array:
    """The first gradOut cell of each gradInput cell, for outer >= inner."""
    shift = 0.5 if exact else 0.0
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
    if problem.spec.family == "unpool":

        def gather(grad_output: Any, indices: Any) -> Any:
            flat = grad_output.reshape(planes, -1)
            return jnp.take_along_axis(flat, indices.reshape(planes, -1), -1).reshape(shape)

        return gather
    if problem.spec.family == "pool":

        def scatter(grad_output: Any, indices: Any) -> Any:
            zeros = jnp.zeros((planes, int(np.prod(shape[2:]))), grad_output.dtype)
            rows = jnp.arange(planes)[:, None]
            return zeros.at[rows, indices.reshape(planes, -1)].add(grad_output.reshape(planes, -1)).reshape(shape)

        return scatter
    if not problem.spec.is_gradient:

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
        first = _first_cells(shape[axis], outer_shape[axis], problem.spec.is_exact)
        sources.append(np.searchsorted(first, np.arange(outer_shape[axis]), side="right") - 1)

    def forward(values: Any) -> Any:
        for axis, source in enumerate(sources, start=2):
            values = jnp.take(values, source, axis=axis)
        return values

    def backward(grad_out: Any) -> Any:
        (gradient,) = jax_module.linear_transpose(forward, jax_module.ShapeDtypeStruct(shape, grad_out.dtype))(grad_out)
        return gradient

    return backward
