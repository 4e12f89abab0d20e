"""One JAX primitive per operator: shapes by the library's own checks, native execution, vmap by folding into N."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir, xla

from acltwin import _core
from acltwin.jax._engine import engine, target_name
from acltwin.ops._arrays import Ints, MapRule

Shape = tuple[int, ...]

OPERATORS = (
    "upsample_nearest3d",
    "upsample_nearest_exact3d",
    "upsample_nearest_exact2d",
    "upsample_nearest3d_backward",
    "upsample_nearest_exact3d_backward",
    "upsample_nearest_exact2d_backward",
    "max_unpool3d",
    "max_unpool3d_backward",
    "max_pool3d_with_argmax",
    "max_pool3d_with_argmax_backward",
)


@dataclass(frozen=True)
class Static:
    """What a call says beside its tensors. JAX compiles it into the program."""

    ints: tuple[Any, ...]
    scales: tuple[Any, ...] = ()
    flag: tuple[bool, ...] = ()
    index_dtype: tuple[str, ...] = ()
    data_format: str = "NCDHW"
    rule: MapRule = "device"
    batch_size_in: int | None = None
    """Which of ``ints`` begins with N."""
    input_shape: Shape | None = None
    """Of the tensor ``input`` of a gradient, whose values nobody reads: the program need not keep them."""

    @property
    def positional(self) -> tuple[Any, ...]:
        """As the functions of ``_core`` want them, behind the tensors."""
        return (*self.ints, *self.scales, *self.flag, *self.index_dtype, self.data_format, self.rule, None)

    @property
    def attributes(self) -> dict[str, Any]:
        """As the native handlers want them."""
        shape = {} if self.input_shape is None else {"input_shape": np.array(self.input_shape, np.int64)}
        return {
            **{f"array{i}": np.array(values, np.int64) for i, values in enumerate(self.ints)},
            **shape,
            "scales": np.array(self.scales, np.float64),
            "flag": any(self.flag),
            "channels_last": self.data_format in ("NDHWC", "NHWC"),
            "torch_rule": self.rule == "torch",
        }

    def normalised(self) -> Static:
        """The same with plain tuples and numbers, once they are known to be right."""
        return replace(
            self,
            ints=tuple(_plain_ints(values) for values in self.ints),
            scales=tuple(0.0 if scale is None else float(scale) for scale in self.scales),
            flag=tuple(map(bool, self.flag)),
        )

    def folded(self, size: int) -> Static:
        """For tensors whose first axis is ``size`` times as long."""
        ints = list(self.ints)
        if self.batch_size_in is not None:
            ints[self.batch_size_in] = _times_first(ints[self.batch_size_in], size)
        shape = None if self.input_shape is None else _times_first(self.input_shape, size)
        return replace(self, ints=tuple(ints), input_shape=shape)


def _times_first(shape: Shape, size: int) -> Shape:
    return (shape[0] * size, *shape[1:])


def _plain_ints(values: Ints | None) -> Shape:
    if values is None:
        return ()
    try:
        return tuple(int(value) for value in values)  # type: ignore[union-attr]
    except TypeError:
        return (int(values),)  # type: ignore[arg-type]


def _as_array(operator: str, tensor: Any) -> jax.Array:
    if isinstance(tensor, jax.Array):
        return tensor
    if isinstance(tensor, np.ndarray):
        return jnp.asarray(tensor)
    raise TypeError(
        f"{operator}: a tensor is of type {type(tensor).__name__}, expected a JAX or NumPy array; "
        "convert it with jax.numpy.asarray(...)"
    )


def _described(tensor: Any) -> tuple[str, Shape]:
    return str(tensor.dtype), tensor.shape


def call(operator: str, tensors: Sequence[Any], static: Static, input: Any = None) -> list[jax.Array]:
    """Calls an operator, after the checks that its array function makes.

    ``input`` is the tensor of which only shape and dtype count: the second one of the operators that have it.
    """
    arrays = [_as_array(operator, tensor) for tensor in tensors]
    described = [_described(array) for array in arrays]
    if input is not None:
        shaped = input if isinstance(input, jax.ShapeDtypeStruct) else _as_array(operator, input)
        described.insert(1, _described(shaped))
        static = replace(static, input_shape=shaped.shape)
    results = _core.infer(operator, *described, *static.positional)
    outcome: list[jax.Array] = PRIMITIVES[operator].bind(*arrays, static=static.normalised(), results=tuple(results))
    return outcome


# ---- what JAX asks of a primitive ----


def _abstract(*_: Any, results: Sequence[tuple[str, Shape]], **__: Any) -> list[Any]:
    return [jax.core.ShapedArray(shape, jnp.dtype(dtype)) for dtype, shape in results]


def _lower(operator: str, context: Any, *operands: Any, static: Static, results: Any) -> Any:
    if engine().name == "xla_ffi":
        return jax.ffi.ffi_lowering(target_name(operator))(context, *operands, **static.attributes)
    callback = functools.partial(_call_back, operator, static, results)
    return mlir.lower_fun(callback, multiple_results=True)(context, *operands)


def _call_back(operator: str, static: Static, results: Any, *operands: Any) -> Any:
    def run(*tensors: Any) -> tuple[Any, ...]:
        arrays = [np.asarray(tensor) for tensor in tensors]
        if static.input_shape is not None:
            arrays.insert(1, np.broadcast_to(arrays[0].dtype.type(0), static.input_shape))
        outcome = _core.run_inferred(operator, *arrays, *static.positional)
        return outcome if isinstance(outcome, tuple) else (outcome,)

    shapes = tuple(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for dtype, shape in results)
    return jax.pure_callback(run, shapes, *operands)


def _batch(operator: str, operands: Sequence[Any], dims: Sequence[int | None], **parameters: Any) -> Any:
    """Planes are independent of each other, so a batch is a longer first axis."""
    size = next(x.shape[dim] for x, dim in zip(operands, dims, strict=True) if dim is not None)
    folded = [_fold(x, dim, size) for x, dim in zip(operands, dims, strict=True)]
    results = tuple((dtype, _times_first(shape, size)) for dtype, shape in parameters["results"])
    outcome = PRIMITIVES[operator].bind(*folded, static=parameters["static"].folded(size), results=results)
    unfolded = [x.reshape(size, *shape) for x, (_, shape) in zip(outcome, parameters["results"], strict=True)]
    return unfolded, [0] * len(unfolded)


def _fold(x: Any, dim: int | None, size: int) -> Any:
    batched = jnp.broadcast_to(x, (size, *x.shape)) if dim is None else jnp.moveaxis(x, dim, 0)
    return batched.reshape(size * batched.shape[1], *batched.shape[2:])


def _new_primitive(operator: str) -> Primitive:
    primitive = Primitive(operator)
    primitive.multiple_results = True
    primitive.def_impl(functools.partial(xla.apply_primitive, primitive))
    primitive.def_abstract_eval(_abstract)
    mlir.register_lowering(primitive, functools.partial(_lower, operator), platform="cpu")
    batching.primitive_batchers[primitive] = functools.partial(_batch, operator)
    return primitive


PRIMITIVES = {operator: _new_primitive(operator) for operator in OPERATORS}
