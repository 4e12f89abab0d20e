"""torch.vmap: planes do not know of each other, so a batch of calls is one call with a larger N."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from acltwin.ops import OPERATORS, OpSpec
from acltwin.torch._define import LIBRARY


def _folded(tensor: Tensor, axis: int | None, count: int) -> Tensor:
    """The batch of tensors as one, N times as long; the same tensor for all if it is not batched."""
    batch = tensor.expand(count, *tensor.shape) if axis is None else tensor.movedim(axis, 0)
    return batch.flatten(0, 1)


def _unfolded(result: Tensor, count: int) -> Any:
    return result.unflatten(0, (count, -1))


def _one_by_one(operator: Any) -> Callable[..., Any]:
    """For results that are not made of planes."""

    def batched(info: Any, axes: tuple[Any, ...], *arguments: Any, **modes: Any) -> tuple[Any, Any]:
        def call(i: int) -> Any:
            both = zip(arguments, axes, strict=False)
            return operator(
                *(x.select(axis, i) if isinstance(x, Tensor) and axis is not None else x for x, axis in both), **modes
            )

        results = [call(i) for i in range(info.batch_size)]
        if isinstance(results[0], Tensor):
            return torch.stack(results), 0
        return tuple(map(torch.stack, zip(*results, strict=True))), (0,) * len(results[0])

    return batched


def _rule(spec: OpSpec) -> Callable[..., Any]:
    operator = getattr(torch.ops.acltwin, spec.name).default
    if not spec.planewise:
        return _one_by_one(operator)

    def batched(info: Any, axes: tuple[Any, ...], *arguments: Any, **modes: Any) -> tuple[Any, Any]:
        count, folded = info.batch_size, list(arguments)
        for place, (declared, value, axis) in enumerate(zip(spec.parameters, arguments, axes, strict=False)):
            if declared.kind == "tensor":
                folded[place] = _folded(value, axis, count)
            elif declared.begins_with_batch:
                folded[place] = [count * value[0], *value[1:]]
        results = operator(*folded, **modes)
        if isinstance(results, Tensor):
            return _unfolded(results, count), 0
        return tuple(_unfolded(result, count) for result in results), (0,) * len(results)

    return batched


for _name, _spec in OPERATORS.items():
    torch.library.register_vmap(f"acltwin::{_name}", _rule(_spec), lib=LIBRARY)
