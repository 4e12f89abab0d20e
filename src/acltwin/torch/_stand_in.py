"""One call of an operator of PyTorch's, computed by this library if it takes it, else by PyTorch as before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import torch
from torch import _C

from acltwin.torch._aten import Counterpart
from acltwin.torch._define import Kernel
from acltwin.torch._layout import as_pytorch_lays_out, is_refused
from acltwin.torch._report import Report


def _reason_for_pytorch(counterpart: Counterpart, arguments: Sequence[Any]) -> str | None:
    """Why PyTorch is to answer a call that this library would take: it refuses some of what is empty, and more."""
    spec = counterpart.spec
    for place, argument in zip(counterpart.tensors, spec.inputs, strict=False):
        tensor = arguments[place]
        if not tensor.numel():
            return "empty tensor"
        if argument.holds == "indices":
            if tensor.dtype is not torch.int64:
                return "indices are not int64"
        elif spec.family == "unpool" and not tensor.is_floating_point():
            return "values are integers"
    return "unbatched volume like channels-last images" if is_refused(counterpart, arguments) else None


def _reason_of(error: Exception) -> str:
    """Short, and the same for all calls that are refused alike: the argument and its dtype, or the id of the rule."""
    text = str(error)
    if isinstance(error, TypeError):
        return text.partition(": ")[2].partition(",")[0] or text
    return text.rpartition("[")[2].rstrip("]")


def _is_final(counterpart: Counterpart, error: Exception) -> bool:
    """Whether PyTorch must not be asked after this error: it does not notice the mistake, and writes elsewhere."""
    if isinstance(error, IndexError):
        return counterpart.spec.family != "unpool"
    return _reason_of(error) == "window_cells"


def _named(kernel: Kernel, name: str) -> Kernel:
    """The kernel, under a name of its own where a profiler looks."""

    def named(*arguments: Any) -> Any:
        if _C._autograd._profiler_enabled():
            with torch.profiler.record_function(name):
                return kernel(*arguments)
        return kernel(*arguments)

    return named


_ERRORS = (TypeError, ValueError, IndexError)


def _considered(counterpart: Counterpart, compute: Kernel) -> Callable[[Any, tuple[Any, ...]], tuple[Any, str | None]]:
    """Any call at all: its results, and why PyTorch computed them if it did."""
    original = torch.library.get_kernel(counterpart.operator, "CPU")
    named = _named(compute, f"acltwin::{counterpart.spec.name}")

    def considered(keys: Any, arguments: tuple[Any, ...]) -> tuple[Any, str | None]:
        reason = _reason_for_pytorch(counterpart, arguments)
        if reason is None:
            try:
                return as_pytorch_lays_out(counterpart, named(*arguments), arguments), None
            except _ERRORS as error:
                if _is_final(counterpart, error):
                    raise
                reason = _reason_of(error)
        return original.call_boxed(keys, *arguments), reason  # it computes what we do not, or says what is wrong

    return considered


def stand_in(
    counterpart: Counterpart, compute: Kernel, compute_usual: Kernel, reports: Callable[[], Sequence[Report]]
) -> Kernel:
    """What to put into PyTorch's dispatcher; every call is told to the reports."""
    name, considered, profiles = counterpart.name, _considered(counterpart, compute), _C._autograd._profiler_enabled

    def answered(keys: Any, *arguments: Any) -> Any:
        listeners, begin, reason = reports(), perf_counter(), None
        try:
            results = NotImplemented if profiles() else compute_usual(*arguments)
        except _ERRORS:
            results = NotImplemented
        if results is NotImplemented:
            results, reason = considered(keys, arguments)
        for report in listeners:
            report.count(name, reason, perf_counter() - begin)
        return results

    return answered


def onlooker(counterpart: Counterpart, reports: Callable[[], Sequence[Report]]) -> Kernel:
    """PyTorch's own kernel, whose calls are told to the reports."""
    original, name = torch.library.get_kernel(counterpart.operator, "CPU"), counterpart.name

    def watched(keys: Any, *arguments: Any) -> Any:
        begin = perf_counter()
        results = original.call_boxed(keys, *arguments)
        for report in reports():
            report.count(name, "only watched", perf_counter() - begin)
        return results

    return watched
