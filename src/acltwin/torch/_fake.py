"""What a result looks like, without computing it: shape, dtype and strides, for tracing and compiling."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from acltwin.ops import OPERATORS, OpSpec
from acltwin.torch._define import LIBRARY


def _like(source: Tensor, shape: Sequence[int], channel: int, dtype: torch.dtype) -> Tensor:
    """Channels-last if the source is a dense channels-last tensor, else contiguous, as the operators' results are."""
    if source.is_contiguous() or not source.movedim(channel, -1).is_contiguous():
        return source.new_empty(shape, dtype=dtype)
    in_memory = [*shape[:channel], *shape[channel + 1 :], shape[channel]]
    return source.new_empty(in_memory, dtype=dtype).movedim(-1, channel)


def _windows(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are along one axis; the last one must begin inside of the tensor or its left padding."""
    last_start = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return last_start // stride + 1
    count = (last_start + stride - 1) // stride + 1
    return count - 1 if (count - 1) * stride >= size + padding else count


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
    kernel, stride, padding = (given[name] for name in ("kernelSize", "stride", "padding"))
    each = zip(sizes, kernel, stride or kernel, padding, given.get("dilation", (1,) * axes), strict=True)
    return (*batch, *(_windows(*axis, given["ceilMode"]) for axis in each))


def _fake(spec: OpSpec) -> Callable[..., Any]:
    names = [argument.common_name for argument in spec.parameters]
    declared = getattr(torch.ops.acltwin, spec.name).default._schema.arguments
    defaults = {ours: theirs.default_value for ours, theirs in zip(names, declared, strict=False)}
    is_always_contiguous = spec.family == "unpool"

    def fake(first: Tensor, *others: Any, index_dtype: str = "int32", **_: Any) -> Any:
        shape = _sizes(spec, first, {**defaults, **dict(zip(names, (first, *others), strict=False))})
        dtypes = [getattr(torch, index_dtype) if r.holds == "indices" else first.dtype for r in spec.results]
        if is_always_contiguous:
            results = [first.new_empty(shape, dtype=dtype) for dtype in dtypes]
        else:
            channel = first.dim() - len(spec.axes) - 1
            results = [_like(first, shape, channel, dtype) for dtype in dtypes]
        return results[0] if len(results) == 1 else tuple(results)

    return fake


for _name, _spec in OPERATORS.items():
    torch.library.register_fake(f"acltwin::{_name}", _fake(_spec), lib=LIBRARY)
