"""PyTorch's own operators computed by this library, for programs that are not to be edited.

The replacements are kernels of PyTorch's dispatcher, below autograd: they hold for every thread, and PyTorch's own
gradients lead to them. An operator that is not replaced costs what it did before, which a mode cannot offer.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from acltwin.torch._aten import COUNTERPARTS, Counterpart
from acltwin.torch._define import Kernel
from acltwin.torch._layout import as_pytorch_lays_out, is_refused

_KERNELS: dict[str, Kernel] = {name: counterpart.compute for name, counterpart in COUNTERPARTS.items()}


def _is_for_pytorch(counterpart: Counterpart, arguments: Sequence[Any]) -> bool:
    """Whether PyTorch refuses what this library would take. Of what is empty, it computes some and refuses some."""
    spec = counterpart.spec
    for place, argument in zip(counterpart.tensors, spec.inputs, strict=False):
        tensor = arguments[place]
        if not tensor.numel():
            return True
        if argument.holds == "indices":
            if tensor.dtype is not torch.int64:
                return True
        elif spec.family == "unpool" and not tensor.is_floating_point():
            return True
    return is_refused(counterpart, arguments)


def _is_final(counterpart: Counterpart, error: Exception) -> bool:
    """Whether PyTorch must not be asked after this error: it does not notice the mistake, and writes elsewhere."""
    if isinstance(error, IndexError):
        return counterpart.spec.family != "unpool"
    return str(error).endswith("[window_cells]")


def _replacement(counterpart: Counterpart, kernel: Kernel) -> Kernel:
    original = torch.library.get_kernel(counterpart.operator, "CPU")

    def replacement(keys: Any, *arguments: Any) -> Any:
        if _is_for_pytorch(counterpart, arguments):
            return original.call_boxed(keys, *arguments)
        try:
            results = kernel(*arguments)
        except (TypeError, ValueError, IndexError) as error:
            if _is_final(counterpart, error):
                raise
            return original.call_boxed(keys, *arguments)  # it computes what we do not, or says what is wrong
        return as_pytorch_lays_out(counterpart, results, arguments)

    return replacement


def _install() -> torch.library.Library:
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of the first kernel that is replaced; here it is the purpose
        for name, kernel in _KERNELS.items():
            library.impl(name, _replacement(COUNTERPARTS[name], kernel), "CPU", with_keyset=True)
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
