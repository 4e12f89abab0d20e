"""The functions on dask arrays, made from the array functions and the operators' declarations."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

import dask.array as da

from acltwin._sizes import with_sizes
from acltwin.dask._call import Call
from acltwin.ops import PLANEWISE, OpSpec

_ARRAY_FUNCTIONS = importlib.import_module("acltwin._functions")

SPATIAL_CHUNKS = inspect.Parameter(
    "spatial_chunks", inspect.Parameter.KEYWORD_ONLY, default="refuse", annotation='Literal["refuse", "rechunk"]'
)
OUT = re.compile(r"^    out: .*\n(?:     +.*\n)*", re.MULTILINE)
MEANING = """\
    spatial_chunks: what to do with a tensor whose volumes are cut where they must be whole: raise (``"refuse"``), or
        put them together and warn of the cost (``"rechunk"``).
"""


def _signature(array_function: Callable[..., Any]) -> inspect.Signature:
    """That of the array function, without ``out``."""
    given = inspect.signature(array_function)
    parameters = [
        parameter.replace(annotation=_on_dask(parameter.annotation))
        for parameter in given.parameters.values()
        if parameter.name != "out"
    ]
    return inspect.Signature([*parameters, SPATIAL_CHUNKS], return_annotation=_on_dask(given.return_annotation))


def _on_dask(annotation: str) -> str:
    return re.sub(r"\bArray\b", "da.Array", annotation)


def _documentation(spec: OpSpec, array_function: Callable[..., Any]) -> str:
    text, _, _ = (inspect.getdoc(array_function) or spec.summary).partition("\n>>>")
    summary, _, rest = text.partition("\n")
    rest = OUT.sub(MEANING, rest)
    for argument in spec.parameters:
        if argument.holds == "shape":
            rest += f"\nOnly shape and dtype of ``{argument.python_name}`` matter; its chunks are not computed.\n"
    return f"{summary}\n\n:func:`acltwin.{spec.name}` on each chunk of Dask arrays.\n{rest}"


def _make(spec: OpSpec) -> Callable[..., Any]:
    array_function = getattr(_ARRAY_FUNCTIONS, spec.name)
    signature = _signature(array_function)
    tensors = [argument.python_name for argument in spec.parameters if argument.kind == "tensor"]

    def function(*arguments: Any, **keywords: Any) -> da.Array | tuple[da.Array, ...]:
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{spec.name}: {error}; the arguments are {', '.join(signature.parameters)}") from None
        bound.apply_defaults()
        values = bound.arguments
        spatial_chunks = values.pop("spatial_chunks")
        arrays = {name: values.pop(name) for name in tensors}
        return Call(spec, arrays, with_sizes(spec, values, arrays[tensors[0]]), spatial_chunks).chunked()

    function.__name__ = function.__qualname__ = spec.name
    function.__module__ = "acltwin.dask"
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = _documentation(spec, array_function)
    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {name: _make(spec) for name, spec in PLANEWISE.items()}
