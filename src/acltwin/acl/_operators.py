"""The two phases of every operator, made from the declarations."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p
from inspect import Parameter, Signature
from typing import Any

from acltwin.acl._library import c
from acltwin.acl._mistakes import MISTAKES, explained, mistake
from acltwin.ops import INTERFACES, OpSpec

_TYPES = {
    "double": "float",
    "float": "float",
    "bool": "bool",
    "string": "bytes | None",
}  # others are numbers and handles


def _first_phase(spec: OpSpec) -> Callable[..., tuple[int, int, int]]:
    names = [argument.snake_name for argument in spec.arguments]
    types = [_TYPES.get(argument.kind, "int") for argument in spec.arguments]

    def get_workspace_size(*arguments: Any, **keywords: Any) -> tuple[int, int, int]:
        size, executor = c_uint64(), c_void_p()
        try:
            if keywords:
                arguments = signature.bind(*arguments, **keywords).args
            ret = getattr(c, spec.phase1_name)(*arguments, byref(size), byref(executor))
        except MISTAKES as error:
            raise mistake(get_workspace_size, arguments, keywords, error) from None
        return size.value, executor.value or 0, ret

    signature = Signature(
        [
            Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind)
            for name, kind in zip(names, types, strict=True)
        ],
        return_annotation="tuple[int, int, int]",
    )
    get_workspace_size.__signature__ = signature  # type: ignore[attr-defined]
    get_workspace_size.__name__ = get_workspace_size.__qualname__ = f"{spec.name}_get_workspace_size"
    documented = "\n".join(
        f"        {name}: {argument.kind.replace('_', ' ')}. {argument.doc}"
        for name, argument in zip(names, spec.arguments, strict=True)
    )
    get_workspace_size.__doc__ = f"""{spec.phase1_name}: check a call and plan it.

    {spec.summary}

        {spec.formula}

    Args:
{documented}

    Returns:
        ``(workspace_size, executor, ret)``: what :func:`{spec.name}` takes.
    """
    return get_workspace_size


def _second_phase(spec: OpSpec) -> Callable[[int, int, int, int], int]:
    def run(workspace: int, workspace_size: int, executor: int, stream: int) -> int:
        return int(getattr(c, spec.c_name)(workspace, workspace_size, executor, stream))

    run.__name__ = run.__qualname__ = spec.name
    run.__doc__ = f"""{spec.c_name}: queue on a stream what phase 1 has planned.

    ``executor`` is what :func:`{spec.name}_get_workspace_size` gave; ``workspace``
    is a block of ``workspace_size`` bytes, 0 when none is needed; ``stream`` 0 is the default one.
    """
    return explained(run)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for spec in INTERFACES.values()
    for function in (_first_phase(spec), _second_phase(spec))
}
globals().update(FUNCTIONS)
__all__ = [*FUNCTIONS]
