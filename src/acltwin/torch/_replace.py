"""PyTorch's own operators computed by this library, for programs that are not to be edited.

The replacements are kernels of PyTorch's dispatcher, below autograd: they hold for every thread, and PyTorch's own
gradients lead to them. An operator that is not replaced costs what it did before, which a mode cannot offer.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from acltwin.torch._define import OPERATORS, Kernel

_MAX_POOL, _MAX_POOL_BACKWARD = (OPERATORS[f"max_pool3d_with_argmax{end}"][1] for end in ("", "_backward"))
_ONES, _ZEROS = (1, 1, 1), (0, 0, 0)


def _max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = _ZEROS,
    dilation: Sequence[int] = _ONES,
    ceil_mode: bool = False,
) -> Any:
    return _MAX_POOL(input, kernel_size, stride, padding, dilation, ceil_mode, index_dtype="int64")


def _max_pool3d_with_indices_backward(grad_output: Tensor, input: Tensor, *window: Any) -> Any:
    *window, indices = window  # type: ignore[assignment]
    return _MAX_POOL_BACKWARD(grad_output, input, indices, *window)


_KERNELS: dict[str, Kernel] = {
    "max_unpool3d": OPERATORS["max_unpool3d"][1],
    "max_pool3d_with_indices": _max_pool3d_with_indices,
    "max_pool3d_with_indices_backward": _max_pool3d_with_indices_backward,
}
for _name, _private in (("nearest2d", ""), ("nearest3d", ""), ("nearest_exact2d", "_"), ("nearest_exact3d", "_")):
    for _end in ("", "_backward"):
        _KERNELS[f"{_private}upsample_{_name}{_end}"] = OPERATORS[f"upsample_{_name}{_end}"][1]


def _laid_out(result: Tensor, stride: tuple[int, ...]) -> Tensor:
    if result.stride() == stride:
        return result
    return torch.empty_strided(result.shape, stride, dtype=result.dtype).copy_(result)


class _Description(NamedTuple):
    """What a tensor's strides do to the strides of a result."""

    shape: torch.Size
    stride: tuple[int, ...]
    dtype: torch.dtype


@lru_cache(maxsize=1024)
def _pytorchs_strides(operator: Any, *arguments: Any) -> tuple[tuple[int, ...], ...]:
    """The strides of PyTorch's results, from its own kernels for tensors without data."""
    values = [
        torch.empty_strided(value.shape, value.stride, dtype=value.dtype, device="meta")
        if isinstance(value, _Description)
        else value
        for value in arguments
    ]
    results = operator(*values)
    return tuple(result.stride() for result in ([results] if isinstance(results, Tensor) else results))


def _described(value: Any) -> Any:
    if isinstance(value, Tensor):
        return _Description(value.shape, value.stride(), value.dtype)
    return tuple(value) if isinstance(value, list) else value


def _as_pytorch_lays_out(operator: Any, results: Any, arguments: Sequence[Any]) -> Any:
    """The results with the strides that PyTorch gives them: compiled programs rely on them."""
    if all(value.is_contiguous() for value in arguments if isinstance(value, Tensor)):
        return results
    strides = _pytorchs_strides(operator, *map(_described, arguments))
    if isinstance(results, Tensor):
        return _laid_out(results, strides[0])
    return tuple(map(_laid_out, results, strides))


def _replacement(name: str) -> Kernel:
    operator, kernel = getattr(torch.ops.aten, name).default, _KERNELS[name]
    original = torch.library.get_kernel(operator, "CPU")

    def replacement(keys: Any, *arguments: Any) -> Any:
        try:
            results = kernel(*arguments)
        except (TypeError, ValueError):  # what this library does not take, PyTorch does, or says what is wrong
            return original.call_boxed(keys, *arguments)
        return _as_pytorch_lays_out(operator, results, arguments)

    return replacement


def _install() -> torch.library.Library:
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of the first kernel that is replaced; here it is the purpose
        for name in _KERNELS:
            library.impl(name, _replacement(name), "CPU", with_keyset=True)
    return library


class _Switch:
    """Knows who wants the replacements; they are there as long as anybody does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: set[object] = set()
        self._library: torch.library.Library | None = None

    def add(self, user: object) -> None:
        with self._lock:
            if self._library is None:
                self._library = _install()
            self._users.add(user)

    def remove(self, user: object) -> None:
        with self._lock:
            self._users.discard(user)
            if not self._users and self._library is not None:
                self._library._destroy()
                self._library = None


_SWITCH = _Switch()
_WHOLE_PROCESS = object()


def replace() -> None:
    """Let this library compute PyTorch's nearest upsampling, 3-D max pooling and 3-D max unpooling from now on.

    That concerns CPU tensors, forward and backward, in every thread. What this library does not take is computed by
    PyTorch as before. Call it while no other thread is inside of these operators.
    """
    _SWITCH.add(_WHOLE_PROCESS)


def restore() -> None:
    """Undo :func:`replace`. Blocks of :func:`replaced` that are still open keep their replacements."""
    _SWITCH.remove(_WHOLE_PROCESS)


@contextmanager
def replaced() -> Iterator[None]:
    """:func:`replace` for the time of a ``with`` block, or of a decorated function."""
    user = object()
    _SWITCH.add(user)
    try:
        yield
    finally:
        _SWITCH.remove(user)
