"""Sentences for mistakes that C never sees: a wrong number of arguments, or values that it has no type for.

A status says what the library refuses. What cannot even be handed to it raises :class:`TypeError` or
:class:`ValueError`, as in pyACL, naming the argument instead of its number in the C function.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import struct
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# What ctypes, struct and our own conversions raise; everything else is no mistake of the caller's.
MISTAKES = (ctypes.ArgumentError, struct.error, TypeError, AttributeError, OverflowError, ValueError)
INT64 = range(-(2**63), 2**63)


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with a sentence for values that it cannot take."""
    if "._rt_" in function.__module__:  # part of acl.rt in a file of its own
        function.__module__ = "acltwin.acl.rt"

    @functools.wraps(function)
    def explaining(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*arguments, **keywords)
        except MISTAKES as error:
            raise mistake(function, arguments, keywords, error) from None

    return explaining


def mistake(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any], error: Exception
) -> Exception:
    """What is wrong with the call; the error itself if it is none of the known mistakes."""
    modules = [part for part in function.__module__.split(".")[1:] if not part.startswith("_")]
    name = ".".join([*modules, function.__name__])
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*arguments, **keywords)
    except TypeError as problem:
        listed = ", ".join(signature.parameters)
        return TypeError(f"{name}: {problem}, expected {name}({listed})")
    sentences = {}
    for parameter, value in bound.arguments.items():
        problem_of = _CHECKS.get(str(signature.parameters[parameter].annotation))
        sentence = problem_of(value) if problem_of is not None else None
        if sentence is not None and parameter in _ENUMERATIONS and isinstance(value, str):
            sentence = f"{_is(value)}, expected {_ENUMERATIONS[parameter]}"
        if sentence is not None and parameter.startswith("grad_") and isinstance(value, (list, tuple)):
            sentence = f"{_is(value)}, expected a tensor; pass acl.create_tensor(...)"
        if sentence is not None:
            sentences[parameter] = sentence
    if not sentences:
        return error
    # Some C types take what others do not, so what is wrong for all of them is blamed first.
    parameter = min(sentences, key=lambda parameter: _suits_some_types(bound.arguments[parameter]))
    kind = ValueError if sentences[parameter].startswith("has ") else TypeError
    return kind(f"{name}: {parameter} {sentences[parameter]}")


def _suits_some_types(value: Any) -> bool:
    return value is None or isinstance(value, (bytes, str)) or hasattr(value, "__index__")


def _is(value: Any) -> str:
    kind = type(value)
    return f"is {kind.__name__ if kind.__module__ == 'builtins' else f'{kind.__module__}.{kind.__qualname__}'}"


def _not_an_int(value: Any) -> str | None:
    if isinstance(value, int):
        return None
    said = f"{_is(value)}, expected int (a number, a handle or an address)"
    if hasattr(value, "ctypes"):
        return f"{said}; pass acl.util.numpy_to_ptr(array), the array's address"
    if hasattr(value, "data_ptr"):
        return f"{said}; pass tensor.data_ptr(), the tensor's address"
    if isinstance(getattr(value, "handle", None), int):
        return f"{said}; pass its .handle"
    if isinstance(value, str):
        return f"{said}; pass a number: acl.constants has those of dtypes, formats and kinds, such as ACL_FLOAT"
    if isinstance(value, (bytes, bytearray)):
        return f"{said}; pass acl.util.bytes_to_ptr(data), the address of bytes"
    if isinstance(value, (list, tuple)):
        return f"{said}; pass a handle: acl.create_int_array(values) for sizes, acl.create_tensor(...) for a tensor"
    if hasattr(value, "__index__"):
        return f"{said}; pass int(value)"
    return f"{said}; pass 0 for null" if value is None else said


def _not_a_float(value: Any) -> str | None:
    if hasattr(value, "__float__") and not hasattr(value, "shape"):
        return None
    return f"{_is(value)}, expected float" + ("; pass 0.0 for a factor that is not given" if value is None else "")


def _not_a_sequence(value: Any, element: str, fits: Callable[[Any], bool]) -> str | None:
    try:
        values = list(value)
    except TypeError:
        wrap = " for one value pass (value,)" if fits(value) else " pass a tuple or a list"
        return f"{_is(value)}, expected a sequence of {element};{wrap}"
    for position, one in enumerate(values):
        if fits(one):
            continue
        if isinstance(one, int):
            return f"has {one} at position {position}, expected a number of 64 bits"
        kind = f"{_is(value)} with {type(one).__name__} at position {position}"
        return f"{kind}, expected a sequence of {element}; convert it"
    return None


def _not_ints(value: Any) -> str | None:
    return _not_a_sequence(value, "int", lambda one: hasattr(one, "__index__") and int(one) in INT64)


def _not_floats(value: Any) -> str | None:
    return _not_a_sequence(value, "float", lambda one: hasattr(one, "__float__"))


def _not_bytes(value: Any) -> str | None:
    return None if isinstance(value, bytes) else f"{_is(value)}, expected bytes; pass bytes(data) or text.encode()"


def _not_an_array(value: Any) -> str | None:
    return None if hasattr(value, "ctypes") else f"{_is(value)}, expected a NumPy array; pass numpy.asarray(value)"


def _not_a_path(value: Any) -> str | None:
    return None if isinstance(value, str) else f"{_is(value)}, expected str or None; pass the path of a JSON file"


_ENUMERATIONS = {
    "data_type": "an aclDataType, such as acl.constants.ACL_FLOAT",
    "format": "an aclFormat, such as acl.constants.ACL_FORMAT_ND",
    "kind": "an aclrtMemcpyKind, such as acl.constants.ACL_MEMCPY_HOST_TO_DEVICE",
}

# By annotation, as it is written.
_CHECKS: dict[str, Callable[[Any], str | None]] = {
    "int": _not_an_int,
    "float": _not_a_float,
    "Sequence[int]": _not_ints,
    "Sequence[int] | None": lambda value: None if value is None else _not_ints(value),
    "Sequence[float]": _not_floats,
    "Sequence[bool]": lambda value: _not_a_sequence(value, "bool", lambda one: True),
    "bytes": _not_bytes,
    "np.ndarray[Any, Any]": _not_an_array,
    "str | None": lambda value: None if value is None else _not_a_path(value),
}
