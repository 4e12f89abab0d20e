"""What the drop-in functions share: which tensors an operator takes, and how a function gets its numbers of axes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Concatenate, ParamSpec

import torch
from torch import Tensor

from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import INTEGERS
from acltwin.torch._autograd import OPS
from acltwin.torch._layout import format_of, has_one_layout, is_refused, laid_out

P = ParamSpec("P")

PYTORCH: Any = torch.nn.functional  # whose annotations are narrower than what it takes

_HALVES = (torch.float16, torch.bfloat16)
_INTEGERS = frozenset(getattr(torch, name) for name in INTEGERS)
_LEFT = {"unpool": _INTEGERS, **dict.fromkeys(("pool", "adaptive_pool"), _INTEGERS - {torch.uint16, torch.bool})}
"""Integers that PyTorch does not unpool, or pools faster itself."""


class DropIn:
    """An operator behind a drop-in function of so many axes.

    Where the operator has planes and the function rows, ``lift`` is 1: a row is a plane of height 1.
    """

    def __init__(self, spec: OpSpec, axes: int, entry: str = "") -> None:
        """``entry`` is the PyTorch operator that the function calls first, if it is not the operator's counterpart."""
        self.axes, self.lift = axes, len(spec.axes) - axes
        self._ranks, self._may_be_refused = (len(spec.axes) + 1, len(spec.axes) + 2), spec.family == "pool"
        first = spec.parameters[0]
        dtypes = {getattr(torch, name) for name in (*first.dtypes, *first.array_dtypes)}
        self._dtypes = dtypes - _LEFT.get(spec.family, frozenset())
        self._spec, self._op = spec, OPS[spec.name]
        name = f"aten::{entry or spec.aten}"
        self._is_cast = torch._C._dispatch_has_kernel_for_dispatch_key(name, "AutocastCPU")  # to float32, all of them

    def source(self, tensor: Tensor, may_be_cast: bool = True) -> Tensor:
        """The tensor in the operator's axes, and in the precision that PyTorch computes in where it is mixed."""
        if self._is_cast and may_be_cast and tensor.dtype in _HALVES and tensor.is_cpu:
            tensor = tensor.float() if torch.is_autocast_enabled("cpu") else tensor
        return tensor.unsqueeze(-2) if self.lift and tensor.dim() else tensor

    def takes(self, source: Tensor) -> bool:
        """Whether the operator computes on such a tensor, and PyTorch's function too."""
        return (
            source.dim() in self._ranks
            and source.dtype in self._dtypes
            and source.is_cpu
            and source.layout is torch.strided
            and source.numel() > 0
            and not (self._may_be_refused and is_refused(self._spec, source))
        )

    def plane(self, source: Tensor) -> torch.Size:
        """The sizes of a source along the operator's axes."""
        return source.shape[-self.axes - self.lift :]

    def compute(
        self, plain: bool, source: Tensor, *arguments: Any, layout: torch.memory_format | None = None, **modes: Any
    ) -> Any:
        """The results in the function's axes, with the strides of PyTorch's, which may be known better."""
        results = self._op.by_way(plain)(source, *arguments, **modes)
        if layout is None:
            if not self.lift and has_one_layout(source, self.axes):  # a row is of height 1
                return results
            layout = format_of(self._spec, source)
        if isinstance(results, Tensor):
            return self._finished(results, layout)
        return tuple(self._finished(result, layout) for result in results)

    def _finished(self, result: Tensor, layout: torch.memory_format) -> Tensor:
        result = laid_out(result, layout)
        return result.squeeze(-2) if self.lift else result


def drop_ins(body: Callable[Concatenate[DropIn, P], Any], aten: str, entry: str = "") -> tuple[Callable[P, Any], ...]:
    """The functions ``NAME1d``, ``NAME2d`` and ``NAME3d`` of a body called NAME, which returns None for what is
    PyTorch's to answer: other devices and dtypes, empty tensors, mistakes.

    ``aten`` is what PyTorch calls the operator, with ``{}`` for its number of axes.
    """
    counterparts = {spec.aten: spec for spec in OPERATORS.values()}
    specs = [counterparts.get(aten.format(axes)) or counterparts[aten.format(axes + 1)] for axes in (1, 2, 3)]
    return tuple(
        _drop_in(body, DropIn(spec, axes, entry.format(len(spec.axes))), f"{body.__name__}{axes}d")
        for axes, spec in enumerate(specs, 1)
    )


def _drop_in(body: Callable[Concatenate[DropIn, P], Any], operator: DropIn, name: str) -> Callable[P, Any]:
    theirs = getattr(PYTORCH, name)

    def drop_in(*arguments: P.args, **keywords: P.kwargs) -> Any:
        result = body(operator, *arguments, **keywords)
        return theirs(*arguments, **keywords) if result is None else result

    signature = inspect.signature(body)
    drop_in.__name__ = drop_in.__qualname__ = name
    drop_in.__module__ = "acltwin.torch"
    drop_in.__doc__ = f"``torch.nn.functional.{name}``, faster on the CPU."
    drop_in.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=list(signature.parameters.values())[1:]
    )
    return drop_in


def per_axis(value: Any, axes: int) -> tuple[Any, ...]:
    """A number for all axes, or one for each."""
    return tuple(value) if isinstance(value, (list, tuple)) else (value,) * axes


def spread(value: Any, axes: int) -> tuple[Any, ...]:
    """The same, where PyTorch also spreads a list of one number."""
    values = per_axis(value, axes)
    return values * axes if len(values) == 1 else values


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same geometry comes in every step of a training; what compilers trace must not meet a cache, though."""
    remembered = lru_cache(maxsize=256, typed=True)(function)  # a size of 2.0 is a mistake, 2 is not

    def find(plain: bool, *values: Any) -> Any:
        if not plain:
            return function(*values)
        return remembered(*[tuple(value) if isinstance(value, list) else value for value in values])

    return find
