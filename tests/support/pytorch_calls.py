"""Random calls of the functions of ``torch.nn.functional`` that the drop-in functions stand in for, of every rank."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from support.lazy import torch
from support.pytorch_outcomes import LAYOUTS, arranged

FLOATS = ("float32", "float64", "float16", "bfloat16")
KINDS = ("max_pool", "max_unpool", "adaptive_max_pool", "avg_pool", "adaptive_avg_pool", "nearest", "weighted", "area")
EXACT = ("max_pool", "max_unpool", "adaptive_max_pool", "nearest")
"""Where only cells are copied or compared: forward, bits are those of PyTorch."""
_WEIGHTED = {1: ("linear",), 2: ("bilinear", "bicubic"), 3: ("trilinear",)}


@dataclass(frozen=True)
class Call:
    """A call of a function by its name, in whichever module has it."""

    name: str
    tensor: Any
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, module: Any, tensor: Any = None) -> tuple[Any, ...]:
        """The results and the gradient of the first one, if it has one; its weights are signed whole numbers."""
        source = (self.tensor if tensor is None else tensor).detach()
        if source.is_floating_point():
            source = source.requires_grad_()
        results = getattr(module, self.name)(source, *self.arguments, **self.options)
        results = results if isinstance(results, tuple) else (results,)
        if not results[0].requires_grad or not results[0].numel():
            return tuple(result.detach() for result in results)
        weights = torch.randint(-4, 5, results[0].shape, generator=torch.Generator().manual_seed(3))
        (gradient,) = torch.autograd.grad(results[0], source, weights.to(source.dtype))
        return (*(result.detach() for result in results), gradient)

    def outcome(self, module: Any, tensor: Any = None) -> Any:
        """The same, or what is raised."""
        try:
            return self.run(module, tensor)
        except Exception as error:
            return type(error), str(error)


def _per_axis(values: st.SearchStrategy[Any], axes: int) -> st.SearchStrategy[Any]:
    return values | st.tuples(*[values] * axes) | st.lists(values, min_size=axes, max_size=axes)


@st.composite
def calls(draw: st.DrawFn, kind: str, dtypes: tuple[str, ...] = (*FLOATS, "uint8", "int64")) -> Call:
    """A call of this kind: rows, planes or volumes, with or without a batch, in any layout, with ties and NaN."""
    axes, cells = draw(st.integers(1, 3)), st.integers(1, 6)
    sizes = draw(st.lists(cells | st.just(1) | st.integers(0, 2), min_size=axes + 1, max_size=axes + 2))
    dtype = getattr(torch, draw(st.sampled_from(dtypes)))
    values = torch.randint(0, 7, sizes, generator=torch.Generator().manual_seed(draw(st.integers(0, 99)))) - 3
    tensor = values.to(dtype)
    if (
        dtype.is_floating_point
        and tensor.numel()
        and _OF_KIND.get(kind) is not _unpooling
        and draw(st.integers(0, 3)) == 0
    ):
        tensor.view(-1)[draw(st.integers(0, tensor.numel() - 1))] = math.nan
    tensor = arranged(tensor, draw(LAYOUTS))
    return _OF_KIND.get(kind, _resampling)(draw, kind, axes, tensor)


def _windows(draw: st.DrawFn, axes: int) -> list[Any]:
    kernel = draw(_per_axis(st.integers(1, 3), axes))
    stride = draw(_per_axis(st.integers(1, 3), axes) | (st.none() if axes > 1 else st.just(2)))
    return [kernel, stride, draw(_per_axis(st.integers(0, 1), axes))]


def _pooling(draw: st.DrawFn, kind: str, axes: int, tensor: Any) -> Call:
    dilation = draw(_per_axis(st.integers(1, 2), axes))
    return Call(f"{kind}{axes}d", tensor, (*_windows(draw, axes), dilation, draw(st.booleans()), draw(st.booleans())))


def _average(draw: st.DrawFn, kind: str, axes: int, tensor: Any) -> Call:
    divisor = (draw(st.sampled_from([None, None, 1, 3, -2, 0])),) if axes > 1 else ()
    return Call(f"{kind}{axes}d", tensor, (*_windows(draw, axes), draw(st.booleans()), draw(st.booleans()), *divisor))


def _adaptive_average(draw: st.DrawFn, kind: str, axes: int, tensor: Any) -> Call:
    size = draw(_per_axis(st.just(1) | st.integers(1, 5) | st.none(), axes))
    return Call(f"{kind}{axes}d", tensor, (size,), {})


def _adaptive_maximum(draw: st.DrawFn, kind: str, axes: int, tensor: Any) -> Call:
    call = _adaptive_average(draw, kind, axes, tensor)
    return replace(call, options={"return_indices": draw(st.booleans())})


def _unpooling(draw: st.DrawFn, kind: str, axes: int, tensor: Any) -> Call:
    """Every cell of a smaller tensor goes to another place of a larger one, as if its window's last cell were it."""
    kernel, plane = draw(st.integers(1, 3)), tensor.shape[-axes:]
    target = [size * kernel for size in plane]
    places = torch.zeros((), dtype=torch.int64)
    for size, wide in zip(plane, target, strict=True):
        places = places.unsqueeze(-1) * wide + torch.arange(size) * kernel + kernel - 1
    options = {"output_size": target} if draw(st.booleans()) else {}
    return Call(f"{kind}{axes}d", tensor, (places.expand(tensor.shape).contiguous(), kernel), options)


def _resampling(draw: st.DrawFn, kind: str, axes: int, tensor: Any) -> Call:
    modes = {"nearest": ("nearest", "nearest-exact"), "area": ("area",), "weighted": _WEIGHTED[axes]}[kind]
    options: dict[str, Any] = {"mode": draw(st.sampled_from(modes))}
    if kind == "weighted":
        options["align_corners"] = draw(st.sampled_from([None, False, True]))
        options["antialias"] = axes == 2 and draw(st.booleans())
    if draw(st.booleans()):
        options["size"] = draw(_per_axis(st.integers(1, 9), axes))
    else:
        options["scale_factor"] = draw(_per_axis(st.sampled_from([0.5, 1.0, 1.7, 2.0]) | st.floats(0.3, 3), axes))
        options["recompute_scale_factor"] = draw(st.sampled_from([None, False, True]))
    return Call("interpolate", tensor, (), options)


_OF_KIND: dict[str, Callable[..., Call]] = {
    "max_pool": _pooling,
    "avg_pool": _average,
    "adaptive_max_pool": _adaptive_maximum,
    "adaptive_avg_pool": _adaptive_average,
    "max_unpool": _unpooling,
}
