"""The two phases of every operator, made from the declarations."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p
from typing import Any

from acltwin.acl._library import c
from acltwin.ops import OPERATORS, OpSpec


def _first_phase(spec: OpSpec) -> Callable[..., tuple[int, int, int]]:
    def get_workspace_size(*arguments: Any) -> tuple[int, int, int]:
        size, executor = c_uint64(), c_void_p()
        ret = getattr(c, spec.phase1_name)(*arguments, byref(size), byref(executor))
        return size.value, executor.value or 0, ret

    get_workspace_size.__name__ = get_workspace_size.__qualname__ = f"{spec.name}_get_workspace_size"
    names = ", ".join(argument.name for argument in spec.arguments)
    get_workspace_size.__doc__ = f"""{spec.phase1_name}({names}) -> (workspace_size, executor, ret)

    {spec.summary}
    """
    return get_workspace_size


def _second_phase(spec: OpSpec) -> Callable[[int, int, int, int], int]:
    def run(workspace: int, workspace_size: int, executor: int, stream: int) -> int:
        return int(getattr(c, spec.c_name)(workspace, workspace_size, executor, stream))

    run.__name__ = run.__qualname__ = spec.name
    run.__doc__ = f"{spec.c_name}(workspace, workspace_size, executor, stream) -> ret: queue what phase 1 planned."
    return run


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function for spec in OPERATORS.values() for function in (_first_phase(spec), _second_phase(spec))
}
