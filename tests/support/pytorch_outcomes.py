"""What can be seen of a call's outcome, and tensors in layouts that PyTorch reads in several ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from support.lazy import torch


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The results with all that can be seen of them, or what is raised."""
    try:
        results = function(*arguments, **options)
    except Exception as error:
        return type(error), str(error)
    results = results if isinstance(results, tuple) else (results,)
    return [(result.dtype, result.shape, result.stride(), result.tolist()) for result in results]


def numbers(shape: Sequence[int], dtype: str, seed: int = 0) -> torch.Tensor:
    """Small whole numbers, whose sums are exact in every dtype."""
    return torch.randint(0, 5, tuple(shape), generator=torch.Generator().manual_seed(seed)).to(getattr(torch, dtype))


def arranged(tensor: torch.Tensor, layout: tuple[Sequence[int], int]) -> torch.Tensor:
    """The same tensor with its axes in another order in memory, and room between the elements of one of them."""
    order, gap = layout
    order = [axis for axis in order if axis < tensor.dim()]
    back = [order.index(axis) for axis in range(tensor.dim())]
    tensor = tensor.permute(order)
    if gap:
        tensor = tensor.repeat_interleave(2, gap % tensor.dim())
        tensor = tensor.contiguous()[(*[slice(None)] * (gap % tensor.dim()), slice(None, None, 2))]
    else:
        tensor = tensor.contiguous()
    return tensor.permute(back)


LAYOUTS = st.tuples(
    st.permutations(range(5)) | st.sampled_from([[0, 1, 2, 3, 4], [0, 2, 3, 4, 1], [1, 2, 3, 4, 0]]),
    st.sampled_from([0, 0, 1, 2, 3, 4]),
)
