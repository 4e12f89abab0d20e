"""Calls that PyTorch rejects or computes in a way of its own, and this library would take. While it stands in, they
are PyTorch's: what a program cannot do without this library, it shall not do by accident with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import isfinite
from typing import Any

import torch
from torch import _C

from acltwin.torch._aten import Counterpart
from acltwin.torch._define import Kernel

Rejection = Callable[[Sequence[Any]], str | None]
"""From PyTorch's arguments to the reason, if the call is PyTorch's."""

_HALVES = (torch.float16, torch.bfloat16)
_CPU = _C.DispatchKeySet(_C.DispatchKey.CPU)


def rejections_of(counterpart: Counterpart, original: Kernel) -> tuple[Rejection, ...]:
    """What to ask before a call is computed; ``original`` is PyTorch's kernel."""
    return tuple(_rejections(counterpart, original))


def _rejections(counterpart: Counterpart, original: Kernel) -> Iterator[Rejection]:
    yield _lacking_dtype(counterpart, original)
    divisor = counterpart.place_of("divisor_override")
    if divisor is not None:  # here it means that there is none
        yield lambda arguments: "divisor of 0" if len(arguments) > divisor and arguments[divisor] == 0 else None
    if divisor is not None and len(counterpart.spec.axes) == 3:
        yield _beyond_the_volume(counterpart)
    if counterpart.spec.antialias:
        yield _other_weights(counterpart)


def _lacking_dtype(counterpart: Counterpart, original: Kernel) -> Rejection:
    """Halves that PyTorch's kernel does not know, in which its versions differ. The declared call asks it."""

    @cache
    def is_lacking(dtype: torch.dtype) -> bool:
        try:
            original(_CPU, *_declared_call(counterpart, dtype))
        except NotImplementedError:
            return True
        return False

    def rejection(arguments: Sequence[Any]) -> str | None:
        dtype = arguments[0].dtype
        return f"PyTorch lacks {dtype}" if dtype in _HALVES and is_lacking(dtype) else None

    return rejection


def _declared_call(counterpart: Counterpart, dtype: torch.dtype) -> list[Any]:
    spec, call = counterpart.spec, list(counterpart.defaults)
    for place, argument in zip(counterpart.order, spec.parameters, strict=True):
        value: Any = spec.valid.arguments[argument.name]
        if argument.kind == "tensor":
            call[place] = torch.zeros(value.shape, dtype=torch.int64 if argument.holds == "indices" else dtype)
        elif value or not (argument.is_scale or argument.default == "None"):  # else 0 means that it is not given
            call[place] = value
    return call


def _beyond_the_volume(counterpart: Counterpart) -> Rejection:
    """Of averages in volumes, PyTorch rejects windows that only fit with padding, and only there."""
    source, window = counterpart.tensors[-1], counterpart.place_of("kernel_size")

    def rejection(arguments: Sequence[Any]) -> str | None:
        kernel, plane = arguments[window], arguments[source].shape[-3:]  # type: ignore[index]
        along = zip(kernel if len(kernel) == 3 else (*kernel, *kernel, *kernel), plane, strict=False)
        return "window beyond the volume" if any(size > cells for size, cells in along) else None

    return rejection


def _other_weights(counterpart: Counterpart) -> Rejection:
    """Where anti-aliased results of PyTorch are not what they are elsewhere: with one column, of which it repeats the
    first row; with scales by which windows miss the image; and where sizes stay and only its gradient knows of scales.
    """
    spec = counterpart.spec
    scales = [place for place, argument in zip(counterpart.order, spec.parameters, strict=True) if argument.is_scale]
    target, source = counterpart.place_of("output_size"), counterpart.place_of("input_size")

    def rejection(arguments: Sequence[Any]) -> str | None:
        wanted = arguments[target]  # type: ignore[index]
        if not spec.is_gradient and wanted[-1] == 1:
            return "one column"
        given = [arguments[place] if place < len(arguments) else None for place in scales]
        if not any(given):
            return None
        sizes = (arguments[source] if source is not None else arguments[0].shape)[2:]
        along = zip(sizes, wanted, given, strict=False)
        fit = all(
            not scale or (isfinite(scale) and int(size * scale) == n and (n != size or scale == 1))
            for size, n, scale in along
        )
        return None if fit else "scales that do not fit the sizes"

    return rejection
