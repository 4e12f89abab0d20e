"""torch.vmap: planes do not know of each other, so a batch of calls is one call with a larger N."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from acltwin.torch._define import LIBRARY, OPERATORS

_SIZE_ARGUMENT = 2  # of an upsample gradient: N, C and the sizes of its result


def _folded(tensor: Tensor, axis: int | None, count: int) -> Tensor:
    """The batch of tensors as one, N times as long; the same tensor for all if it is not batched."""
    batch = tensor.expand(count, *tensor.shape) if axis is None else tensor.movedim(axis, 0)
    return batch.flatten(0, 1)


def _unfolded(result: Tensor, count: int) -> Any:
    return result.unflatten(0, (count, -1))


def _rule(name: str) -> Callable[..., Any]:
    operator = getattr(torch.ops.acltwin, name).default
    is_upsample_backward = name.startswith("upsample") and name.endswith("_backward")

    def batched(info: Any, axes: tuple[Any, ...], *arguments: Any, **modes: Any) -> tuple[Any, Any]:
        count = info.batch_size
        folded = [
            _folded(value, axis, count) if isinstance(value, Tensor) else value
            for value, axis in zip(arguments, axes, strict=False)
        ]
        if is_upsample_backward:
            n, *others = arguments[_SIZE_ARGUMENT]
            folded[_SIZE_ARGUMENT] = [count * n, *others]
        results = operator(*folded, **modes)
        if isinstance(results, Tensor):
            return _unfolded(results, count), 0
        return tuple(_unfolded(result, count) for result in results), (0, 0)

    return batched


for _name in OPERATORS:
    torch.library.register_vmap(f"acltwin::{_name}", _rule(_name), lib=LIBRARY)
