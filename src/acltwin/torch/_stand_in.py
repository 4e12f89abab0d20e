"""One call of an operator of PyTorch's, computed by this library if it takes it, else by PyTorch as before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import torch
from torch import _C

from acltwin.torch._aten import Counterpart
from acltwin.torch._define import Kernel
from acltwin.torch._layout import as_pytorch_lays_out, floats_of, is_refused
from acltwin.torch._rejected import rejections_of
from acltwin.torch._report import Report


def _reason_for_pytorch(counterpart: Counterpart, arguments: Sequence[Any]) -> str | None:
    """Why PyTorch is to answer a call that this library would take: it refuses some of what is empty, and more."""
    spec = counterpart.spec
    for place, argument in zip(counterpart.tensors, spec.parameters, strict=False):
        tensor = arguments[place]
        if not tensor.numel():
            return "empty tensor"
        if argument.holds == "indices":
            if tensor.dtype is not torch.int64:
                return "indices are not int64"
        elif not tensor.is_floating_point() and (spec.family, tensor.dtype) != ("upsample", torch.uint8):
            return "values are integers"
    refused = any(is_refused(spec, tensor) for tensor in floats_of(counterpart, arguments))
    return "unbatched volume like channels-last images" if refused else None


def _reason_of(error: Exception) -> str:
    """Short, and the same for all calls that are refused alike: the argument and its dtype, or the id of the rule."""
    text = str(error)
    if isinstance(error, TypeError):
        return text.partition(": ")[2].partition(",")[0] or text
    return text.rpartition("[")[2].rstrip("]")


def _is_dangerous(counterpart: Counterpart, arguments: Sequence[Any]) -> bool:
    """Whether PyTorch would read or write elsewhere: its gradient of pooling checks neither N nor the indices.

    Its gradient of adaptive averages divides by sizes of 0.
    """
    if counterpart.spec.family == "average" and counterpart.spec.is_gradient:
        return 0 in arguments[counterpart.tensors[1]].shape[-len(counterpart.spec.axes) :]
    if counterpart.spec.family not in ("pool", "adaptive_pool") or not counterpart.spec.is_gradient:
        return False
    gradient, source, indices = (arguments[place] for place in counterpart.tensors)
    axes = len(counterpart.spec.axes)
    if indices.shape != gradient.shape or gradient.shape[:-axes] != source.shape[:-axes]:
        return True
    return indices.dtype is torch.int64 and bool(((indices < 0) | (indices >= source.shape[-axes:].numel())).any())


def _named(kernel: Kernel, name: str) -> Kernel:
    """The kernel, under a name of its own where a profiler looks."""

    def named(*arguments: Any) -> Any:
        if _C._autograd._profiler_enabled():
            with torch.profiler.record_function(name):
                return kernel(*arguments)
        return kernel(*arguments)

    return named


class Audience(NamedTuple):
    """Who is told of calls, and whether this library computes them."""

    reports: tuple[Report, ...]
    computes: bool


def _computed(counterpart: Counterpart, original: Kernel) -> Callable[[Any, tuple[Any, ...]], tuple[Any, str | None]]:
    """The results of a call, and why PyTorch computed them if it did."""
    compute = _named(counterpart.compute, f"acltwin::{counterpart.spec.name}")
    compute_usual, profiles = counterpart.compute_usual, _C._autograd._profiler_enabled
    rejections = rejections_of(counterpart, original)

    def computed(keys: Any, arguments: tuple[Any, ...]) -> tuple[Any, str | None]:
        for rejection in rejections:
            reason = rejection(arguments)
            if reason is not None:
                return original(keys, *arguments), reason
        try:
            results = NotImplemented if profiles() else compute_usual(*arguments)
            if results is not NotImplemented:
                return results, None
            reason = _reason_for_pytorch(counterpart, arguments)
            if reason is None or _is_dangerous(counterpart, arguments):
                return as_pytorch_lays_out(counterpart, compute(*arguments), arguments), None
        except (TypeError, ValueError, IndexError) as error:
            reason = _reason_of(error)
            # Windows without a cell it lets pass: they get indices with which its gradient writes elsewhere.
            if reason == "window_cells" or _is_dangerous(counterpart, arguments):
                raise
        return original(keys, *arguments), reason  # it computes what we do not, or says what is wrong

    return computed


def stand_in(counterpart: Counterpart, audience: Callable[[], Audience]) -> Kernel:
    """What to put into PyTorch's dispatcher: PyTorch's own kernel as long as nobody listens."""
    name, original = counterpart.name, torch.library.get_kernel(counterpart.operator, "CPU").call_boxed
    computed = _computed(counterpart, original)

    def answered(keys: Any, *arguments: Any) -> Any:
        reports, computes = audience()
        if not reports:
            return original(keys, *arguments)
        begin = perf_counter()
        if computes:
            results, reason = computed(keys, arguments)
        else:
            results, reason = original(keys, *arguments), "only watched"
        seconds = perf_counter() - begin
        for report in reports:
            report.count(name, reason, seconds)
        return results

    return answered
