"""The array functions: their signatures follow from the declarations, their docstrings are those of the files."""

from __future__ import annotations

import importlib
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.spec import Argument, OpSpec

_HEAD = '''"""{generated}"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from acltwin import _core
from acltwin._sizes import scaled
from acltwin._types import Array, Ints, MapRule

__all__ = [
{names}]
'''

_SIZES = """    if output_size is None or isinstance(output_size, int) or scale_factor is not None:
        output_size, {scales} = scaled(
            "{name}",
            input,
            output_size,
            scale_factor,
            ({values}),
            data_format[-1] == "C",
        )
"""

_FUNCTION = '''

def {name}(
{parameters}) -> {result}:
    """{doc}
    """
{sizes}    return _core.{name}(  # type: ignore[no-any-return]
        {arguments}
    )
'''


def _annotation(argument: Argument) -> str:
    if argument.kind == "tensor":
        return "Array"
    if argument.is_scale:
        return "float | None"
    if argument.kind == "bool" or argument.default in ("True", "False"):
        return "bool"
    if argument.kind in ("int64", "int8"):
        return "int | None" if argument.default == "None" else "int"
    ints = "Ints" if argument.one_for_all else "Sequence[int]"
    return f"{ints} | None" if argument.default == "None" else ints


def _default(argument: Argument) -> str:
    default = "0.0" if argument.is_scale else argument.default
    return f" = {default}" if default is not None else ""


def _result(spec: OpSpec) -> str:
    count = len(spec.results)
    return "Array" if count == 1 else f"tuple[{', '.join(['Array'] * count)}]"


def _parameters(spec: OpSpec) -> list[str]:
    positional = [
        f"{argument.python_name}: {_annotation(argument)}{_default(argument)}" for argument in spec.parameters
    ]
    if spec.takes_factor:
        positional[1] = "output_size: Ints | None = None"
    keywords = []
    if spec.takes_factor:
        keywords.append("scale_factor: float | Sequence[float] | None = None")
    if spec.makes_indices:
        keywords.append('index_dtype: Literal["int32", "int64"] = "int32"')
    if len(spec.array_formats) > 1:
        choices = ", ".join(f'"{order}"' for order in spec.array_formats)
        keywords.append(f'data_format: Literal[{choices}] = "{spec.array_formats[0]}"')
    if spec.has_map_rule:
        keywords.append('rule: MapRule = "device"')
    return [*positional, "*", *keywords, f"out: {_result(spec)} | None = None"]


def _arguments(spec: OpSpec) -> list[str]:
    """What the core takes: the parameters, and a value for every mode."""
    names = [argument.python_name for argument in spec.parameters]
    indices = ["index_dtype"] if spec.makes_indices else []
    data_format = "data_format" if len(spec.array_formats) > 1 else f'"{spec.array_formats[0]}"'
    return [*names, *indices, data_format, "rule" if spec.has_map_rule else '"device"', "out"]


def _call(spec: OpSpec) -> str:
    """The arguments in one line, or if that is too long, a line each."""
    line = ", ".join(_arguments(spec))
    return line if len(line) <= 112 else "\n        ".join(f"{argument}," for argument in _arguments(spec))


def _sizes(spec: OpSpec) -> str:
    names = [argument.python_name for argument in spec.inputs if argument.is_scale]
    scales = ", ".join(names)
    values = scales if len(names) > 1 else f"{scales},"
    return _SIZES.format(name=spec.name, scales=scales, values=values) if spec.takes_factor else ""


def _docstring(spec: OpSpec) -> str:
    doc = spec.doc or importlib.import_module(f"acltwin.ops.{spec.name}").__doc__ or ""
    return textwrap.indent(doc.strip(), "    ").strip()


def functions(operators: list[OpSpec], generated: str) -> str:
    parts = [_HEAD.format(generated=generated, names="".join(f'    "{spec.name}",\n' for spec in operators))]
    for spec in operators:
        parts.append(
            _FUNCTION.format(
                name=spec.name,
                parameters="".join(f"    {parameter},\n" for parameter in _parameters(spec)),
                result=_result(spec),
                doc=_docstring(spec),
                sizes=_sizes(spec),
                arguments=_call(spec),
            )
        )
    return "".join(parts)
