"""PyTorch's own operators computed by this library, for programs that are not to be edited.

The replacements are kernels of PyTorch's dispatcher, below autograd: they hold for every thread, and PyTorch's own
gradients lead to them. An operator that is not replaced costs what it did before, which a mode cannot offer.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch

from acltwin.torch._aten import COUNTERPARTS
from acltwin.torch._define import Kernel
from acltwin.torch._report import Report
from acltwin.torch._stand_in import onlooker, stand_in

# For any call, and for the usual ones.
_KERNELS: dict[str, tuple[Kernel, Kernel]] = {
    name: (counterpart.compute, counterpart.compute_usual) for name, counterpart in COUNTERPARTS.items()
}


def _install(kernels: Mapping[str, Kernel]) -> torch.library.Library:
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of the first kernel that is replaced; here it is the purpose
        for name, kernel in kernels.items():
            library.impl(name, kernel, "CPU", with_keyset=True)
    return library


class _Switch:
    """Counts the users of the kernels, which stay as long as there is one."""

    def __init__(self, make: Callable[[Callable[[], tuple[Report, ...]]], Mapping[str, Kernel]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._users: tuple[object, ...] = ()
        self._reports: tuple[Report, ...] = ()
        self._library: torch.library.Library | None = None

    def add(self, user: object) -> None:
        with self._lock:
            if self._library is None:
                self._library = _install(self._make(lambda: self._reports))
            self._set((*(other for other in self._users if other is not user), user))

    def remove(self, user: object) -> None:
        with self._lock:
            self._set(tuple(other for other in self._users if other is not user))
            if not self._users and self._library is not None:
                self._library._destroy()
                self._library = None

    def _set(self, users: tuple[object, ...]) -> None:
        self._users, self._reports = users, tuple(user for user in users if isinstance(user, Report))

    @contextmanager
    def reported(self) -> Iterator[Report]:
        report = Report()
        self.add(report)
        try:
            yield report
        finally:
            self.remove(report)


_SWITCH = _Switch(
    lambda reports: {name: stand_in(COUNTERPARTS[name], *kernels, reports) for name, kernels in _KERNELS.items()}
)
_WATCH = _Switch(lambda reports: {name: onlooker(counterpart, reports) for name, counterpart in COUNTERPARTS.items()})
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
def replaced() -> Iterator[Report]:
    """:func:`replace` for the time of a ``with`` block, or of a decorated function.

    ``with replaced() as report:`` tells which calls were taken, which were passed on to PyTorch and why, and how long
    they took: ``print(report)``.
    """
    with _SWITCH.reported() as report:
        yield report


@contextmanager
def watched() -> Iterator[Report]:
    """Count and time the calls of the same operators, and let PyTorch compute them. Not inside of :func:`replaced`."""
    with _WATCH.reported() as report:
        yield report
