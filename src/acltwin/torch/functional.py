"""Drop-in functions: the signatures and results of ``torch.nn.functional``, the speed of this library.

What this library does not compute (other modes, devices and dtypes, empty tensors) and what is wrong goes to PyTorch's
own function, which computes it or says what it has to say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import starmap
from typing import Any

import torch
from torch import Tensor

from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.families.axes import INTEGERS
from acltwin.torch._autograd import OPS
from acltwin.torch._layout import is_laid_out_alike
from acltwin.torch._plain import is_plain

Triple = int | Sequence[int]
_NO_STRIDE: tuple[Any, ...] = (None, (), [])
_HALVES = (torch.float16, torch.bfloat16)
_INTEGERS = frozenset(getattr(torch, name) for name in INTEGERS)

_PYTORCH: Any = torch.nn.functional  # whose annotations are narrower than what it takes

_FORWARD = [spec for spec in OPERATORS.values() if not spec.is_gradient]
_UPSAMPLE: dict[tuple[str, int], str] = {
    (spec.mode, len(spec.axes) + 2): spec.name for spec in _FORWARD if spec.family == "upsample"
}
_RESAMPLE: dict[tuple[str, int, bool], str] = {
    (spec.mode, len(spec.axes) + 2, spec.name.endswith("_aa")): spec.name
    for spec in _FORWARD
    if spec.family == "linear"
}
_POOL, _UNPOOL = (
    next(spec.name for spec in _FORWARD if spec.family == family and spec.axes == "DHW")
    for family in ("pool", "unpool")
)


def _dtypes(spec: OpSpec) -> frozenset[torch.dtype]:
    """Those that the operator computes with, without integers that PyTorch does not unpool, or pools faster itself."""
    first = spec.parameters[0]
    dtypes = [getattr(torch, name) for name in (*first.dtypes, *first.array_dtypes)]
    left = {"unpool": _INTEGERS, "pool": _INTEGERS - {torch.uint16, torch.bool}}.get(spec.family, frozenset())
    return frozenset(dtype for dtype in dtypes if dtype not in left)


_DTYPES = {spec.name: _dtypes(spec) for spec in _FORWARD}


def _takes(name: str, input: Tensor) -> bool:
    """Whether the operator computes on such a tensor, and PyTorch's function too."""
    return input.dtype in _DTYPES[name] and input.is_cpu and input.layout is torch.strided and input.numel() > 0


def _as_autocast_wants(input: Tensor) -> Tensor:
    """PyTorch unpools, and pools without indices, in float32 where precision is mixed, whatever comes in."""
    return input.float() if torch.is_autocast_enabled("cpu") and input.dtype in _HALVES and input.is_cpu else input


def _per_axis(value: Any, axes: int) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,) * axes


def _triple(value: Triple) -> tuple[int, ...]:
    values = _per_axis(value, 3)
    return values * 3 if len(values) == 1 else values


def _cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same geometry comes in every step of a training; what compilers trace must not meet a cache, though."""
    cached = lru_cache(maxsize=256, typed=True)(function)  # a size of 2.0 is a mistake, 2 is not

    def find(plain: bool, *values: Any) -> Any:
        if not plain:
            return function(*values)
        return cached(*[tuple(value) if isinstance(value, list) else value for value in values])

    return find


@_cached
def _target(sizes: Sequence[int], size: Any, scale_factor: Any, recompute: bool | None) -> tuple[Any, ...] | None:
    """The sizes to upsample to and the factors to do it with, if any; None if that is for PyTorch to judge."""
    axes = len(sizes)
    if (size is None) == (scale_factor is None) or (size is not None and recompute):
        return None
    factors: tuple[float, ...] = ()
    if size is not None:
        target = _per_axis(size, axes)
        if not all(isinstance(n, (int, torch.SymInt)) for n in target):
            return None
    else:
        factors = _per_axis(scale_factor, axes)
        if len(factors) != axes or not all(isinstance(f, (int, float)) and 0 < f < math.inf for f in factors):
            return None
        target = tuple(torch.sym_int(n * f) for n, f in zip(sizes, factors, strict=True))
    if len(target) != axes or not all(n > 0 for n in target):
        return None
    return (target,) if recompute else (target, *factors)


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    """``torch.nn.functional.interpolate``, faster on the CPU in every mode."""
    align: tuple[bool, ...] = ()
    name = _UPSAMPLE.get((mode, input.dim())) if align_corners is None and not antialias else None
    if name is None:
        name, align = _RESAMPLE.get((mode, input.dim(), antialias)), (bool(align_corners),)
    if name is not None and _takes(name, input) and is_laid_out_alike(input, input.dim() - 2):
        plain = is_plain((input,))
        target = _target(plain, input.shape[2:], size, scale_factor, recompute_scale_factor)
        if target is not None:
            sizes, *factors = target
            return OPS[name].by_way(plain)(input, sizes, *align, *factors)
    if mode == "area" and align_corners is None and not antialias and 3 <= input.dim() <= 5:
        target = _target(is_plain((input,)), input.shape[2:], size, scale_factor, recompute_scale_factor)
        if target is not None:
            return _ADAPTIVE[input.dim() - 2](input, target[0])
    return _PYTORCH.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


def _fits(size: int, kernel: int, stride: int, padding: int, dilation: int) -> bool:
    """Whether there are such windows along an axis. Those without a cell are refused here, PyTorch lets them pass."""
    return (
        kernel > 0
        and stride > 0
        and dilation > 0
        and 0 <= padding <= kernel // 2
        and dilation * (kernel - 1) < size + 2 * padding
    )


@_cached
def _window(sizes: Sequence[int], kernel_size: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    """Kernel size, stride, padding and dilation per axis; None if that is for PyTorch to judge."""
    kernel = _triple(kernel_size)
    window = (kernel, kernel if stride in _NO_STRIDE else _triple(stride), _triple(padding), _triple(dilation))
    three = all(len(values) == 3 for values in window)
    return window if three and all(starmap(_fits, zip(sizes, *window, strict=True))) else None


def max_pool3d(
    input: Tensor,
    kernel_size: Triple,
    stride: Triple | None = None,
    padding: Triple = 0,
    dilation: Triple = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """``torch.nn.functional.max_pool3d``, faster on the CPU."""
    source = input if return_indices else _as_autocast_wants(input)
    if source.dim() in (4, 5) and _takes(_POOL, source) and is_laid_out_alike(source, 3):
        plain, sizes = is_plain((source,)), source.shape[-3:]
        window = _window(plain, sizes, kernel_size, stride, padding, dilation)
        if window is not None:
            # Where nobody sees the indices, half the bytes are enough.
            wide = return_indices or sizes.numel() >= 2**31
            pool = OPS[_POOL].by_way(plain)
            results = pool(source, *window, ceil_mode, index_dtype="int64" if wide else "int32")
            return results if return_indices else results[0]
    return _PYTORCH.max_pool3d(source, kernel_size, stride, padding, dilation, ceil_mode, return_indices=return_indices)


@_cached
def _unpooled(sizes: Sequence[int], kernel_size: Any, stride: Any, padding: Any, output_size: Any) -> Any:
    """D, H, W of the unpooled tensor, stride and padding; None if that is for PyTorch to judge."""
    kernel = _per_axis(kernel_size, 3)
    window = (kernel, kernel if stride is None else _per_axis(stride, 3), _per_axis(padding, 3))
    if not all(len(values) == 3 for values in window) or min(window[1]) <= 0:
        return None
    axes = list(zip(sizes, *window, strict=True))
    usual = tuple((size - 1) * stride + kernel - 2 * padding for size, kernel, stride, padding in axes)
    target = usual if output_size is None else tuple(output_size)[-3:] if len(output_size) in (3, 5) else ()
    if len(target) != 3 or any(abs(n - m) >= step for n, m, step in zip(target, usual, window[1], strict=True)):
        return None
    return (target, *window[1:]) if min(target) > 0 and math.prod(target) >= math.prod(sizes) else None


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Triple,
    stride: Triple | None = None,
    padding: Triple = 0,
    output_size: Sequence[int] | None = None,
) -> Any:
    """``torch.nn.functional.max_unpool3d``, faster on the CPU; indices may also be int32."""
    source = _as_autocast_wants(input)
    if (
        source.dim() in (4, 5)
        and _takes(_UNPOOL, source)
        and indices.is_cpu
        and indices.dtype in (torch.int64, torch.int32)
        and indices.shape == source.shape
    ):
        plain = is_plain((source, indices))
        sizes = _unpooled(plain, source.shape[-3:], kernel_size, stride, padding, output_size)
        if sizes is not None:
            return OPS[_UNPOOL].by_way(plain)(source, indices, *sizes)
    return _PYTORCH.max_unpool3d(source, indices, kernel_size, stride, padding, output_size)


# ---- averages ----


@_cached
def _average_window(sizes: Sequence[int], kernel_size: Any, stride: Any, padding: Any) -> Any:
    """Kernel size, stride and padding per axis; None if that is for PyTorch to judge."""
    axes = len(sizes)
    kernel = _spread(kernel_size, axes)
    window = (kernel, kernel if stride in _NO_STRIDE else _spread(stride, axes), _spread(padding, axes))
    all_axes = all(len(values) == axes for values in window)
    return window if all_axes and all(_fits(*axis, 1) for axis in zip(sizes, *window, strict=True)) else None


def _spread(value: Any, axes: int) -> tuple[Any, ...]:
    values = _per_axis(value, axes)
    return values * axes if len(values) == 1 else values


def _average(axes: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, *others: Any) -> Any:
    """The averages of windows; None if that is for PyTorch to judge."""
    name = f"avg_pool{axes}d"
    if input.dim() not in (axes + 1, axes + 2) or not _takes(name, input) or not is_laid_out_alike(input, axes):
        return None
    plain = is_plain((input,))
    window = _average_window(plain, input.shape[-axes:], kernel_size, stride, padding)
    return None if window is None else OPS[name].by_way(plain)(input, *window, *others)


def avg_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """``torch.nn.functional.avg_pool1d``, faster on the CPU."""
    if input.dim() in (2, 3):
        line = [_spread(value, 1) for value in (kernel_size, padding)]
        step = () if stride in _NO_STRIDE else (1, *_spread(stride, 1))
        if all(len(values) == 1 for values in line) and len(step) in (0, 2):
            window = (1, *line[0]), step, (0, *line[1])
            result = _average(2, input.unsqueeze(-2), *window, ceil_mode, count_include_pad)
            if result is not None:
                return result.squeeze(-2)
    return _PYTORCH.avg_pool1d(input, kernel_size, stride or kernel_size, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """``torch.nn.functional.avg_pool2d``, faster on the CPU."""
    others = (ceil_mode, count_include_pad, divisor_override)
    result = None if divisor_override == 0 else _average(2, input, kernel_size, stride, padding, *others)
    return _PYTORCH.avg_pool2d(input, kernel_size, stride, padding, *others) if result is None else result


def avg_pool3d(
    input: Tensor,
    kernel_size: Triple,
    stride: Triple | None = None,
    padding: Triple = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """``torch.nn.functional.avg_pool3d``, faster on the CPU."""
    others = (ceil_mode, count_include_pad, divisor_override)
    source = _as_autocast_wants(input)
    result = None if divisor_override == 0 else _average(3, source, kernel_size, stride, padding, *others)
    return _PYTORCH.avg_pool3d(input, kernel_size, stride, padding, *others) if result is None else result


def _adaptive_average(axes: int, input: Tensor, output_size: Any) -> Any:
    """The averages; None if that is for PyTorch to judge."""
    name = f"adaptive_avg_pool{axes}d"
    if input.dim() not in (axes + 1, axes + 2) or not _takes(name, input) or not is_laid_out_alike(input, axes):
        return None
    wanted = _per_axis(output_size, axes)
    if len(wanted) != axes or 0 in input.shape:
        return None
    sizes = tuple(n if size is None else size for n, size in zip(input.shape[-axes:], wanted, strict=True))
    if not all(isinstance(n, (int, torch.SymInt)) and n > 0 for n in sizes):
        return None
    return OPS[name].by_way(is_plain((input,)))(input, sizes)


def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int]) -> Any:
    """``torch.nn.functional.adaptive_avg_pool1d``, faster on the CPU."""
    size = _spread(output_size, 1)
    if input.dim() in (2, 3) and len(size) == 1:
        result = _adaptive_average(2, input.unsqueeze(-2), (1, *size))
        if result is not None:
            return result.squeeze(-2)
    return _PYTORCH.adaptive_avg_pool1d(input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Any:
    """``torch.nn.functional.adaptive_avg_pool2d``, faster on the CPU."""
    result = _adaptive_average(2, input, output_size)
    return _PYTORCH.adaptive_avg_pool2d(input, output_size) if result is None else result


def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Any:
    """``torch.nn.functional.adaptive_avg_pool3d``, faster on the CPU."""
    result = _adaptive_average(3, input, output_size)
    return _PYTORCH.adaptive_avg_pool3d(input, output_size) if result is None else result


_ADAPTIVE: dict[int, Callable[..., Any]] = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}
