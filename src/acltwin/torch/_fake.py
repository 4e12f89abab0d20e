"""What a result looks like, without computing it: shape, dtype and strides, for tracing and compiling."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument
from acltwin.torch._define import LIBRARY


def _like(source: Tensor, shape: Sequence[int], channel: int, dtype: torch.dtype) -> Tensor:
    """Channels-last if the source is a dense channels-last tensor, else contiguous, as the operators' results are."""
    if source.is_contiguous() or not source.movedim(channel, -1).is_contiguous():
        return source.new_empty(shape, dtype=dtype)
    in_memory = [*shape[:channel], *shape[channel + 1 :], shape[channel]]
    return source.new_empty(in_memory, dtype=dtype).movedim(-1, channel)


@dataclass(frozen=True)
class Windows:
    """The windows along one axis."""

    kernel: int
    stride: int
    before: int  # padding before the cells
    behind: int
    dilation: int

    def count(self, size: int, ceil_mode: bool) -> int:
        """How many there are; in ceil mode the last one must begin inside the tensor or the padding before it."""
        last_start = size + self.before + self.behind - self.dilation * (self.kernel - 1) - 1
        if not ceil_mode:
            return last_start // self.stride + 1
        count = (last_start + self.stride - 1) // self.stride + 1
        return count - 1 if (count - 1) * self.stride >= size + self.before else count


def windows_of(spec: OpSpec, given: Mapping[str, Any]) -> list[Windows]:
    """Along each axis, from arguments by their common names: one number for all axes, one each, or one per side."""
    axes = len(spec.axes)
    (stepped,) = (argument.empty for argument in spec.parameters if argument.common_name == "stride")

    def per_axis(values: Any) -> list[int]:
        each = list(values) if isinstance(values, Sequence) else [values]
        return each * axes if len(each) == 1 else each

    stride = per_axis(given["stride"] or stepped or given["kernelSize"])
    pads = per_axis(given["padding"] or 0)
    dilation = per_axis(given.get("dilation", 1) or 1)
    each = zip(per_axis(given["kernelSize"]), stride, pads, pads[-axes:], dilation, strict=False)
    return [Windows(*along) for along in each]


def _sizes(spec: OpSpec, first: Tensor, given: Mapping[str, Any]) -> Sequence[int]:
    """The shape of the results: that of the forward operator's input, or with outputSize, or one cell per window."""
    axes = len(spec.axes)
    batch, sizes = first.shape[:-axes], first.shape[-axes:]
    for argument in spec.parameters:
        if argument.holds == "shape":
            return given[argument.common_name].shape  # type: ignore[no-any-return]
        if argument.begins_with_batch:
            return given[argument.common_name]  # type: ignore[no-any-return]
    if "outputSize" in given:
        return (*batch, *given["outputSize"])
    each = zip(windows_of(spec, given), sizes, strict=True)
    return (*batch, *(windows.count(size, given["ceilMode"]) for windows, size in each))


def _mask(spec: OpSpec, given: Mapping[str, Any], shape: Sequence[int]) -> Sequence[int]:
    """The shape of the mask of windows of this shape."""
    axes = len(spec.axes)
    taps, windows = math.prod(along.kernel for along in windows_of(spec, given)), math.prod(shape[-axes:])
    return (*shape[:-axes], taps, ((windows + 15) // 16 + 1) * 32)


def _fake(spec: OpSpec) -> Callable[..., Any]:
    names = [argument.common_name for argument in spec.parameters]
    declared = getattr(torch.ops.acltwin, spec.name).default._schema.arguments
    defaults = {ours: theirs.default_value for ours, theirs in zip(names, declared, strict=False)}
    is_always_contiguous = spec.family == "unpool"

    def fake(first: Tensor, *others: Any, index_dtype: str = "int32", **_: Any) -> Any:
        given = {**defaults, **dict(zip(names, (first, *others), strict=False))}
        shape = _sizes(spec, first, given)

        def result_of(result: Argument) -> Tensor:
            if result.holds == "mask":
                return first.new_empty(_mask(spec, given, shape), dtype=torch.int8)
            dtype = getattr(torch, index_dtype) if result.holds == "indices" else first.dtype
            if is_always_contiguous:
                return first.new_empty(shape, dtype=dtype)
            return _like(first, shape, first.dim() - len(spec.axes) - 1, dtype)

        results = tuple(map(result_of, spec.results))
        return results[0] if len(results) == 1 else results

    return fake


for _name, _spec in OPERATORS.items():
    torch.library.register_fake(f"acltwin::{_name}", _fake(_spec), lib=LIBRARY)
