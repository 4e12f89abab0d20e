"""Calls of the operators in PyTorch's registry, several of each: sizes that divide nothing, layouts, options."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from acltwin.ops import OPERATORS, OpSpec
from support.lazy import torch

NAMES = tuple(OPERATORS)
WINDOWS = (
    ((2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1), False),
    ((3, 2, 3), (2, 1, 2), (1, 1, 0), (1, 1, 1), False),  # overlapping; H has more windows than cells
    ((2, 2, 2), (), (0, 1, 0), (1, 1, 2), True),
)


@dataclass(frozen=True)
class TorchCall:
    """One call. The first argument is the tensor that the operator is differentiated by."""

    name: str
    arguments: tuple[Any, ...]
    modes: dict[str, Any] = field(default_factory=dict)

    @property
    def operator(self) -> Any:
        return getattr(torch.ops.acltwin, self.name).default

    def run(self, tensor: torch.Tensor | None = None) -> Any:
        first, *others = self.arguments
        return self.operator(first if tensor is None else tensor, *others, **self.modes)

    def run_first(self, tensor: torch.Tensor) -> torch.Tensor:
        """The result that has a gradient."""
        results = self.run(tensor)
        return results if isinstance(results, torch.Tensor) else results[0]


def _distinct(shape: tuple[int, ...], dtype: torch.dtype, seed: int = 3) -> torch.Tensor:
    """No two values are close, so that small steps change no maximum."""
    count = torch.Size(shape).numel()
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed))
    return (order / 8 - 1).reshape(shape).to(dtype)


def _upsample(spec: OpSpec, dtype: torch.dtype) -> list[TorchCall]:
    name, axes = spec.name, len(spec.axes)
    small, large, scales = (2, 2, 3)[-axes:], (5, 4, 4)[-axes:], (2.5, 2.0, 1.4)[-axes:]
    batch = (2, 2)
    sizes: tuple[Any, ...] = (large, (*batch, *small)) if spec.is_gradient else (large,)
    tensor = _distinct((*batch, *(large if spec.is_gradient else small)), dtype)
    last = tensor.movedim(1, -1).contiguous().movedim(-1, 1)
    aligned = ((True,), (False,)) if spec.family == "linear" else ((), ())
    calls = [
        TorchCall(name, (tensor, *sizes)),
        TorchCall(name, (last, *sizes, *aligned[0], *scales)),
        TorchCall(name, (tensor.mT.contiguous().mT, *sizes, *aligned[1], *(None, scales[-1])[-axes:])),
    ]
    return [*calls, TorchCall(name, (tensor, *sizes), {"rule": "device"})] if spec.has_map_rule else calls


def _pool(spec: OpSpec, dtype: torch.dtype) -> list[TorchCall]:
    calls, axes = [], len(spec.axes)
    pooled_by = {3: torch.nn.functional.max_pool3d, 2: torch.nn.functional.max_pool2d}[axes]
    for batch in ((1, 2), (2,)):
        source = _distinct((*batch, *(4, 3, 5)[-axes:]), dtype)
        for number, (*sizes, ceil_mode) in enumerate(WINDOWS):
            window = (*(size[-axes:] for size in sizes), ceil_mode)
            index_dtype = "int64" if number else "int32"
            if not spec.is_gradient:
                calls.append(TorchCall(spec.name, (source, *window), {"index_dtype": index_dtype}))
            else:
                pooled, indices = pooled_by(source.double(), *window, return_indices=True)
                gradient = _distinct(tuple(pooled.shape), dtype, seed=5)
                calls.append(TorchCall(spec.name, (gradient, source, indices.to(getattr(torch, index_dtype)), *window)))
    return calls


def _unpool(spec: OpSpec, dtype: torch.dtype) -> list[TorchCall]:
    calls, axes = [], len(spec.axes)
    pooled_by = {3: torch.nn.functional.max_pool3d, 2: torch.nn.functional.max_pool2d}[axes]
    plane, kernel, names = (4, 3, 6)[-axes:], (2, 1, 2)[-axes:], [argument.name for argument in spec.inputs]
    for batch, index_dtype in (((2, 2), torch.int64), ((2,), torch.int32)):
        source = _distinct((*batch, *plane), torch.float64)
        pooled, indices = pooled_by(source, kernel, return_indices=True)
        sizes = (plane, kernel, (0,) * axes) if "stride" in names else (plane,)
        if not spec.is_gradient:
            calls.append(TorchCall(spec.name, (pooled.to(dtype), indices.to(index_dtype), *sizes)))
        else:
            calls.append(TorchCall(spec.name, (source.to(dtype), pooled.to(dtype), indices.to(index_dtype), *sizes)))
    return calls


def _adaptive_pool(spec: OpSpec, dtype: torch.dtype) -> list[TorchCall]:
    calls, axes = [], len(spec.axes)
    functions = torch.nn.functional
    pooled_by = {3: functions.adaptive_max_pool3d, 2: functions.adaptive_max_pool2d}[axes]
    for batch, size, index_dtype in (((1, 2), (2, 2, 3), "int32"), ((2,), (4, 1, 7), "int64")):
        source = _distinct((*batch, *(4, 3, 5)[-axes:]), dtype)
        if not spec.is_gradient:
            calls.append(TorchCall(spec.name, (source, size[-axes:]), {"index_dtype": index_dtype}))
            continue
        pooled, indices = pooled_by(source.double(), size[-axes:], return_indices=True)
        gradient = _distinct(tuple(pooled.shape), dtype, seed=5)
        calls.append(TorchCall(spec.name, (gradient, source, indices.to(getattr(torch, index_dtype)))))
    return calls


def _average(spec: OpSpec, dtype: torch.dtype) -> list[TorchCall]:
    axes = len(spec.axes)
    plane, cells = (4, 3, 6)[-axes:], (2, 2, 4)[-axes:]
    adaptive = all(argument.name != "kernelSize" for argument in spec.inputs)
    windows: tuple[tuple[Any, ...], ...] = (
        ((2, 2, 2)[-axes:], (1, 2, 1)[-axes:], (0, 1, 0)[-axes:], False, False, None),
        ((3, 2, 3)[-axes:], (), (1, 0, 1)[-axes:], True, True, 5),
    )
    calls = []
    for batch, window in zip(((2, 2), (2,)), windows, strict=True):
        source = _distinct((*batch, *plane), dtype)
        arguments: tuple[Any, ...] = () if adaptive else window
        if not spec.is_gradient:
            calls.append(TorchCall(spec.name, (source, *(arguments or (cells,)))))
            continue
        pooled = getattr(torch.ops.acltwin, spec.partner)(source, *(arguments or (cells,)))
        calls.append(TorchCall(spec.name, (_distinct(tuple(pooled.shape), dtype, seed=5), source, *arguments)))
    return calls


def _plain_pool(spec: OpSpec, dtype: torch.dtype) -> list[TorchCall]:
    calls, axes = [], len(spec.axes)
    sides = [(1, 0, 2)[-axes:], (0, 1, 0)[-axes:]]
    windows: tuple[Any, ...] = (
        ((2, 2, 2)[-axes:], (2, 1, 2)[-axes:]),
        ((3, 2, 3)[-axes:], (), (*sides[0], *sides[1]), 1, True),
        ((2, 3, 2)[-axes:], (2, 2, 3)[-axes:], (*sides[1], *sides[0]), 1, False),
    )
    for batch in ((1, 2), (2,)):
        source = _distinct((*batch, *(4, 3, 5)[-axes:]), dtype)
        calls += [TorchCall(spec.name, (source, *window)) for window in windows]
    return calls


def _masked_pool(spec: OpSpec, dtype: torch.dtype) -> list[TorchCall]:
    calls, axes = [], len(spec.axes)
    windows: tuple[tuple[Any, ...], ...] = (
        ((2, 3, 2)[-axes:], (2, 2, 1)[-axes:], (1, 1, 1)[-axes:], 1, False),
        ((1,) * axes, (2, 1, 2)[-axes:], 0, 1, True),
    )
    for batch, window in itertools.product(((1, 2), (2,)), windows):
        source = _distinct((*batch, *(4, 3, 5)[-axes:]), dtype)
        if not spec.is_gradient:
            calls.append(TorchCall(spec.name, (source, *window)))
            continue
        pooled, mask = getattr(torch.ops.acltwin, spec.partner)(source, *window)
        calls.append(TorchCall(spec.name, (_distinct(tuple(pooled.shape), dtype, seed=5), source, mask, *window)))
    return calls


def calls_of(name: str, dtype: str = "float32") -> list[TorchCall]:
    calls = {
        "upsample": _upsample,
        "pool": _pool,
        "plain_pool": _plain_pool,
        "masked_pool": _masked_pool,
        "unpool": _unpool,
        "adaptive_pool": _adaptive_pool,
        "average": _average,
        "linear": _upsample,
    }
    return calls[OPERATORS[name].family](OPERATORS[name], getattr(torch, dtype))


def all_calls(dtype: str = "float32") -> list[TorchCall]:
    return [call for name in NAMES for call in calls_of(name, dtype)]
