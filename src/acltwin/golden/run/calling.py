"""How a kernel is called: as our own function, as aten's, or by the caller's own words; and how it is guarded.

Its inputs are hashed before and after; memory that it may take for its output is poisoned first; what it returns is
copied at once. The expected values are made elsewhere: they do not exist in the process where the kernel runs.
"""

from __future__ import annotations

import hashlib
import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import numpy as np

from acltwin.golden.cases import dtypes as arrays
from acltwin.golden.cases.case import Case, Kind
from acltwin.golden.cases.dtypes import Array, facts
from acltwin.golden.cases.family import family_of
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
    any_name = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    takes_formats = convention == "acltwin" and (any_name or not parameters or "data_format" in parameters)

    def call(kernel: Callable[..., Any], view: Call) -> Any:
        if "data_format" in view.arguments and not takes_formats:
            raise NotImplementedError("the kernel takes no data_format, so it is not asked for other layouts")
        blank = {"out": view.blank_output()} if wants_out else {}
        if convention == "aten":
            returned = kernel(*_aten_arguments(view.spec, view), **blank)
        elif _takes(parameters, (*view.tensors, *view.arguments)):
            returned = kernel(**view.tensors, **view.arguments, **blank)
        else:
            documented = [argument.python_name for argument in view.spec.parameters]
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
    for argument in spec.parameters:
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


# ---- guarded ----


@dataclass(frozen=True)
class Answer:
    """What came back from one case; what was not answered has a ``problem``."""

    status: Literal["answered", "failed", "error", "skipped"]
    outputs: tuple[Array, ...] = ()
    device: str = ""
    seconds: float = 0.0
    problem: str | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what is worth knowing and no fault


@dataclass(frozen=True)
class Conduct:
    """How kernels are called."""

    kind: Kind = "numpy"
    device: str = "cpu"
    repeat: int = 1
    deterministic: bool = False  # whether differing bits are a failure, or a warning
    require_device: str | None = None

    def refusal_of(self, device: str) -> str:
        """Why results that live there do not count; empty if they do."""
        if not self.require_device or device.startswith(self.require_device):
            return ""
        return f"the result is on {device}, expected {self.require_device}"


def guarded_call(function: Callable[..., Any], call: Caller, case: Case, conduct: Conduct) -> Answer:
    """One answer of a Python function."""
    return repeated(lambda: _once(function, call, case, conduct), conduct)


def repeated(once: Callable[[], Answer], conduct: Conduct) -> Answer:
    """With ``repeat`` the call is made again, in fresh memory, and the bits are compared."""
    first = once()
    for _ in range(conduct.repeat - 1):
        if first.status != "answered":
            break
        again = once()
        if again.status != "answered":
            return again
        if not same_bits(first.outputs, again.outputs):
            problem = "not deterministic: the same inputs gave different bits"
            if conduct.deterministic:
                return Answer("failed", device=first.device, seconds=first.seconds, problem=problem)
            return Answer("answered", first.outputs, first.device, first.seconds, warnings=(problem,))
    return first


def _once(function: Callable[..., Any], call: Caller, case: Case, conduct: Conduct) -> Answer:
    made = {name: arrays.padded(tensor) for name, tensor in case.inputs().items()}
    view = Call(case, made, conduct.kind, conduct.device)
    before = {name: _digest(tensor) for name, tensor in view.tensors.items()}
    tensors = dict(view.tensors)
    _poison_free_memory(case)
    start = time.perf_counter()
    try:
        returned = call(function, view)
    except NotImplementedError as error:
        return Answer("skipped", problem=f"not implemented: {error}")
    seconds = time.perf_counter() - start
    if returned is NotImplemented:
        return Answer("skipped", problem="not implemented")
    if returned is None:
        return Answer("failed", seconds=seconds, problem="returned nothing; expected the result")
    results = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
    device = arrays.device_of(results[0]) if results else ""
    elsewhere = conduct.refusal_of(device)
    if elsewhere:
        return Answer("failed", device=device, seconds=seconds, problem=elsewhere)
    try:
        outputs = tuple(np.array(arrays.to_numpy(result), order="C", copy=True) for result in results)
    except TypeError as error:
        return Answer("failed", device=device, seconds=seconds, problem=str(error))
    written = [name for name, tensor in tensors.items() if _digest(tensor) != before[name]]
    if written:
        problem = f"the kernel wrote its input {', '.join(written)}; inputs must stay as they are"
        return Answer("failed", device=device, seconds=seconds, problem=problem)
    return Answer("answered", outputs, device, seconds)


def _poison_free_memory(case: Case) -> None:
    """What is freed last is allocated first: an output that is never written then holds this, and nothing plausible."""
    blocks = [[arrays.poisoned(facts(dtype).dtype, shape) for dtype, shape in case.result_shapes()] for _ in range(3)]
    del blocks


def _digest(tensor: Any) -> str:
    array = arrays.to_numpy(tensor)
    return hashlib.blake2b(np.ascontiguousarray(array).tobytes(), digest_size=16).hexdigest()


def same_bits(first: tuple[Array, ...], second: tuple[Array, ...]) -> bool:
    return len(first) == len(second) and all(
        a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
        for a, b in zip(first, second, strict=True)
    )
