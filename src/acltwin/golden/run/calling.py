"""How a kernel is called: as our own function, as aten's, or by the caller's own words."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Literal

import numpy as np

from acltwin.golden.cases import arrays
from acltwin.golden.cases.case import Case, Kind
from acltwin.golden.cases.dtypes import Array, facts
from acltwin.golden.cases.families import family_of
from acltwin.ops.spec import OpSpec

Convention = Literal["acltwin", "aten"]
CONVENTIONS: tuple[Convention, ...] = ("acltwin", "aten")
_TORCH = ("torch", "torch_npu", "triton")


class Call:
    """A case as a kernel sees it: ``call["grad_out"]`` is a tensor of the asked kind, on the asked device."""

    def __init__(self, case: Case, tensors: dict[str, Array], kind: Kind, device: str) -> None:
        self.name, self.operator, self.dtype, self.spec = case.name, case.operator, case.dtype, case.spec
        self.arguments = dict(case.arguments)
        self.kind, self.device = kind, device
        self.tensors: dict[str, Any] = (
            tensors if kind == "numpy" else {name: arrays.to_torch(tensor, device) for name, tensor in tensors.items()}
        )
        self._results = case.result_shapes()
        self._index_dtype = case.index_dtype if case.spec.makes_indices else None

    def __getitem__(self, tensor: str) -> Any:
        return self.tensors[tensor]

    def inputs(self) -> dict[str, Any]:
        return dict(self.tensors)

    def blank_output(self) -> Any:
        """Memory for the result, full of NaN, or of 0xA5 bytes where there is no NaN."""
        made = [arrays.poisoned(facts(dtype).dtype, shape) for dtype, shape in self._results]
        blanks = made if self.kind == "numpy" else [arrays.to_torch(array, self.device) for array in made]
        return blanks[0] if len(blanks) == 1 else tuple(blanks)


Caller = Callable[[Callable[..., Any], Call], Any]


def caller(function: Callable[..., Any], convention: Convention = "acltwin") -> Caller:
    """How to call this function: by our names if it has them, else by position; ``out`` only if it must be given."""
    if convention not in CONVENTIONS:
        raise ValueError(f"no convention is called {convention!r}; expected one of {', '.join(CONVENTIONS)}")
    parameters = _parameters(function)
    wants_out = "out" in parameters and parameters["out"].default is inspect.Parameter.empty

    def call(kernel: Callable[..., Any], view: Call) -> Any:
        blank = {"out": view.blank_output()} if wants_out else {}
        if convention == "aten":
            returned = kernel(*_aten_arguments(view.spec, view), **blank)
        elif _takes(parameters, (*view.tensors, *view.arguments)):
            returned = kernel(**view.tensors, **view.arguments, **blank)
        else:
            documented = [argument.python_name for argument in view.spec.inputs]
            given = {**view.tensors, **view.arguments}
            named = {name: value for name, value in given.items() if name not in documented}
            returned = kernel(*(given[name] for name in documented), **named, **blank)
        return blank["out"] if returned is None and wants_out else returned

    return call


def kind_of(function: Callable[..., Any]) -> Kind:
    """PyTorch tensors for a function whose module uses PyTorch, NumPy arrays for every other."""
    names = getattr(inspect.unwrap(function), "__globals__", {})
    for value in list(names.values()):
        home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        if isinstance(home, str) and home.partition(".")[0] in _TORCH:
            return "torch"
    return "numpy"


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # built in another language, and silent about it
        return {}


def _takes(parameters: Mapping[str, inspect.Parameter], names: tuple[str, ...]) -> bool:
    """Whether it can be called by our names: it has them all, or takes any and has no others."""
    explicit = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = {name for name, parameter in parameters.items() if parameter.kind in explicit}
    if all(name in known for name in names):
        return True
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    return (
        takes_any
        and known <= {*names, "out"}
        and not any(parameter.kind is inspect.Parameter.POSITIONAL_ONLY for parameter in parameters.values())
    )


def _aten_arguments(spec: OpSpec, view: Call) -> list[Any]:
    """aten's order: a scale that is not given is None, indices are int64, and a pooling gradient has them last."""
    given: list[Any] = []
    last: list[Any] = []
    for argument in spec.inputs:
        if argument.kind == "tensor":
            tensor = view.tensors[argument.python_name]
            if argument.holds == "indices":
                tensor = tensor.astype(np.int64) if view.kind == "numpy" else tensor.long()
                (last if family_of(spec).aten_indices_last else given).append(tensor)
            else:
                given.append(tensor)
        else:
            value = view.arguments.get(argument.python_name)
            given.append(None if argument.is_scale and not value else value)
    return given + last
