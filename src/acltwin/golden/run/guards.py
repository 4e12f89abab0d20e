"""Calling a kernel so that nothing but a right answer looks like one.

Its inputs are hashed before and after; memory that it may take for its output is poisoned first; what it returns is
copied at once. The expected values are made elsewhere: they do not exist in the process where the kernel runs.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from acltwin.golden.cases import arrays
from acltwin.golden.cases.case import Case, Kind
from acltwin.golden.cases.dtypes import Array, facts
from acltwin.golden.run.calling import Call, Caller


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
