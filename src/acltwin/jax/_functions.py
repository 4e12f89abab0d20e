"""The public functions, each derived from its operator's declaration and the signature of its array function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from acltwin import _core
from acltwin._sizes import with_sizes
from acltwin.jax._primitives import bind
from acltwin.jax._signatures import axis_orders, door_signature
from acltwin.jax._static import Shape, Static
from acltwin.jax._symbolic import StandIns, is_symbol
from acltwin.ops import PLANEWISE, OpSpec
from acltwin.ops.spec import Argument

DOC = """{summary}

The arguments are those of :func:`acltwin.{name}`, without ``out``: tensors are JAX arrays, everything else is static.
``data_format`` is ``"{first}"`` or ``"{last}"``, for all tensors. {shapes}
"""


def new_function(spec: OpSpec) -> Callable[..., Any]:
    signature = door_signature(spec, "jax.Array", "jax.Array | jax.ShapeDtypeStruct")

    def function(*arguments: Any, **keywords: Any) -> Any:
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as problem:
            raise TypeError(f"{spec.name}: {problem}; see help(acltwin.jax.{spec.name})") from None
        bound.apply_defaults()
        return _call(spec, bound.arguments)

    shapes = [f"``{argument.python_name}``" for argument in spec.parameters if argument.holds == "shape"]
    first, last = axis_orders(spec)
    function.__doc__ = DOC.format(
        summary=spec.summary,
        name=spec.name,
        first=first,
        last=last,
        shapes=f"{' and '.join(shapes)} may be a ``jax.ShapeDtypeStruct``: its values are not read." if shapes else "",
    )
    function.__name__ = function.__qualname__ = spec.name
    function.__module__ = "acltwin.jax"
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _call(spec: OpSpec, given: Mapping[str, Any]) -> Any:
    channels_last = _is_channels_last(spec, given["data_format"])
    given = with_sizes(spec, given, given[spec.parameters[0].python_name])
    tensors = {
        argument: _as_tensor(spec, argument, given[argument.python_name])
        for argument in spec.parameters
        if argument.kind == "tensor"
    }
    unbatched = _is_unbatched(spec, given, tensors)
    if unbatched:
        tensors = {argument: jnp.expand_dims(tensor, 0) for argument, tensor in tensors.items()}
        given = {**given, **{name: (1, *given[name]) for name in _batch_sizes(spec)}}
    results = _infer(spec, given, tensors)
    static = Static(
        spec.name,
        tuple((name, value) for name, value in _plain_arguments(spec, given, tensors, results).items()),
        tuple((dtype, shape[-len(spec.axes) :]) for dtype, shape in results),
        given.get("rule", "device"),
        channels_last,
    )
    operands = [tensor for argument, tensor in tensors.items() if argument.holds != "shape"]
    outcome = [result[0] if unbatched else result for result in bind(static, operands)]
    return outcome[0] if len(outcome) == 1 else tuple(outcome)


# ---- reading arguments ----


def _is_channels_last(spec: OpSpec, data_format: Any) -> bool:
    first, last = axis_orders(spec)
    if data_format not in (first, last):
        raise ValueError(f"{spec.name}: data_format is {data_format!r}, expected {first!r} or {last!r}; use one")
    return bool(data_format == last)


def _as_tensor(spec: OpSpec, argument: Argument, tensor: Any) -> Any:
    if isinstance(tensor, jax.Array) or (argument.holds == "shape" and isinstance(tensor, jax.ShapeDtypeStruct)):
        return tensor
    if isinstance(tensor, np.ndarray):
        return jnp.asarray(tensor)
    raise TypeError(
        f"{spec.name}: {argument.python_name} is of type {type(tensor).__name__}, expected a JAX or NumPy array; "
        "convert it with jax.numpy.asarray(...)"
    )


def _batch_sizes(spec: OpSpec) -> list[str]:
    return [argument.python_name for argument in spec.parameters if argument.begins_with_batch]


def _is_unbatched(spec: OpSpec, given: Mapping[str, Any], tensors: Mapping[Argument, Any]) -> bool:
    """Whether an upsampling gets one image or volume, without N: only poolings take one by themselves."""
    rank = len(spec.axes) + 1
    sizes = [given[name] for name in _batch_sizes(spec)]
    return (
        not spec.lone_axis
        and all(len(tensor.shape) == rank for tensor in tensors.values())
        and all(isinstance(size, tuple | list) and len(size) == rank for size in sizes)
    )


def _channels_first(spec: OpSpec, given: Mapping[str, Any], shape: Shape) -> Shape:
    """Shapes of other ranks stay as they are: they are for a check to refuse."""
    turn = given["data_format"] == axis_orders(spec)[1] and len(shape) == len(spec.axes) + 2
    return (shape[0], shape[-1], *shape[1:-1]) if turn else shape


def _plain_arguments(
    spec: OpSpec, given: Mapping[str, Any], tensors: Mapping[Argument, Any], results: list[tuple[str, Shape]]
) -> dict[str, Any]:
    """As ``Static`` wants them, once they are known to be right. What begins with N, C is the shape of the result."""
    axes = len(spec.axes)
    plain: dict[str, Any] = {}
    for argument in spec.parameters:
        value = given[argument.python_name]
        if argument.holds == "shape":
            plain[argument.name] = _channels_first(spec, given, tensors[argument].shape)[-axes:]
        elif argument.kind == "int_array":
            plain[argument.name] = results[0][1][-axes:] if argument.begins_with_batch else _plain_ints(value)
        elif argument.is_scale:
            plain[argument.name] = 0.0 if value is None else float(value)
        elif argument.kind != "tensor":
            plain[argument.name] = int(value or 0)
    return plain


def _plain_ints(values: Any) -> Shape:
    if values is None:
        return ()
    return tuple(int(value) for value in values) if np.iterable(values) else (int(values),)


# ---- the library's own checks ----


def _infer(spec: OpSpec, given: Mapping[str, Any], tensors: Mapping[Argument, Any]) -> list[tuple[str, Shape]]:
    """Dtype and shape, channels first, of each result of a right call; refuses others in the array function's words."""
    data_format = given["data_format"]
    known = data_format in spec.array_formats  # else the array function has this one order of axes
    stand_ins = StandIns()
    described = [
        (str(tensor.dtype), stand_ins.numbers(_checked_shape(spec, given, argument, tensor.shape, known)))
        for argument, tensor in tensors.items()
    ]
    if not known:
        given = {**given, **{name: _sizes_channels_first(spec, given, name, tensors) for name in _batch_sizes(spec)}}
    numbers = [
        _checked_sizes(spec, argument, given[argument.python_name], stand_ins)
        for argument in spec.parameters
        if argument.kind != "tensor"
    ]
    order = data_format if known else axis_orders(spec)[0]
    choices = [*([_index_dtype(spec, given)] if spec.makes_indices else []), order, given.get("rule", "device")]
    try:
        results = _core.infer(spec.name, *described, *numbers, *choices, None)
    except (TypeError, ValueError) as problem:
        text = stand_ins.named(str(problem))
        if order != data_format:
            text += f" (axes in the order {order}, which data_format={data_format!r} is turned to)"
        raise type(problem)(text) from None
    return [(dtype, _channels_first(spec, given, shape) if known else shape) for dtype, shape in results]


def _sizes_channels_first(spec: OpSpec, given: Mapping[str, Any], name: str, tensors: Mapping[Argument, Any]) -> Any:
    """Sizes in the order of channels-last tensors, turned; those that begin with N, C, or fit neither, as they are."""
    sizes = given[name]
    batch = _channels_first(spec, given, next(iter(tensors.values())).shape)[:2]
    if not isinstance(sizes, tuple | list) or tuple(sizes[:2]) == batch or (*sizes[:1], *sizes[-1:]) != batch:
        return sizes
    return _channels_first(spec, given, tuple(sizes))


def _checked_shape(
    spec: OpSpec, given: Mapping[str, Any], argument: Argument, shape: Shape, known: bool
) -> tuple[Any, ...]:
    """The shape in an order that the array function knows."""
    ordered = _channels_first(spec, given, shape)
    if any(is_symbol(size) for size in ordered[-len(spec.axes) :]):
        _refuse_symbols(spec, argument, shape)
    if known:
        return shape
    if given["data_format"] != axis_orders(spec)[0] and len(shape) != len(spec.axes) + 2:
        raise ValueError(
            f"{spec.name}: {argument.python_name} has {len(shape)} dimensions, {shape}, expected {len(spec.axes) + 2}"
            f" for data_format={given['data_format']!r}; add the missing ones with size 1"
        )
    return ordered


def _checked_sizes(spec: OpSpec, argument: Argument, value: Any, stand_ins: StandIns) -> Any:
    if argument.kind != "int_array" or not isinstance(value, tuple | list):
        return value
    batch = 2 if argument.begins_with_batch else 0
    if any(is_symbol(size) for size in value[batch:]):
        _refuse_symbols(spec, argument, value)
    return stand_ins.numbers(value)


def _refuse_symbols(spec: OpSpec, argument: Argument, value: Any) -> NoReturn:
    raise ValueError(
        f"{spec.name}: {argument.python_name} is ({', '.join(map(str, value))}), expected numbers for"
        f" {', '.join(spec.axes)}: only N and C may be symbolic; export one program for each size"
    )


def _index_dtype(spec: OpSpec, given: Mapping[str, Any]) -> Any:
    wanted = given["index_dtype"]
    if wanted == "int64" and jax.dtypes.canonicalize_dtype(np.int64) != np.int64:
        raise ValueError(
            f"{spec.name}: index_dtype is int64, which JAX has only with jax_enable_x64; "
            "leave it at int32, or call jax.config.update('jax_enable_x64', True) first"
        )
    return wanted


FUNCTIONS = {name: new_function(spec) for name, spec in PLANEWISE.items()}
