"""PyTorch's own operators computed by this library, for programs that are not to be edited.

The replacements are kernels of PyTorch's dispatcher, below autograd: they hold for every thread, and PyTorch's own
gradients lead to them. An operator that is not replaced costs what it did before, which a mode cannot offer.

The first block installs them, and nothing takes them out again: PyTorch cannot tell whether another thread is about to
enter a kernel that is removed. While no block is open they call PyTorch's own kernels.
"""

from __future__ import annotations

import warnings
from contextlib import ContextDecorator

import torch

from acltwin.ops import OPERATORS
from acltwin.torch._aten import COUNTERPARTS
from acltwin.torch._define import KERNELS
from acltwin.torch._report import LOCK, Report
from acltwin.torch._stand_in import Audience, stand_in


class _Switch:
    """Knows the blocks that are open: their reports, and whether they compute."""

    def __init__(self) -> None:
        self.audience = Audience((), False)
        self._blocks: dict[Report, bool] = {}
        self._library: torch.library.Library | None = None

    def open(self, report: Report, computes: bool) -> None:
        with LOCK:
            if self._library is None:
                self._install()
            self._blocks[report] = computes
            self._tell()

    def close(self, report: Report) -> None:
        with LOCK:
            self._blocks.pop(report, None)
            self._tell()

    def _tell(self) -> None:
        self.audience = Audience(tuple(self._blocks), any(self._blocks.values()))

    def _install(self) -> None:
        kernels = {name: stand_in(counterpart, lambda: self.audience) for name, counterpart in COUNTERPARTS.items()}
        library = torch.library.Library("aten", "IMPL")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns of a kernel that is replaced; here it is the purpose
            for name, kernel in kernels.items():
                library.impl(name, kernel, "CPU", with_keyset=True)
        _load()
        self._library = library


def _load() -> None:
    """One call, so that no report books as an operator's what the first one takes: milliseconds, for kernels to be
    chosen and PyTorch's threads to be found."""
    spec = next(spec for spec in OPERATORS.values() if spec.family == "upsample" and not spec.is_gradient)
    axes = len(spec.axes)
    KERNELS[spec.name](torch.zeros((1,) * (2 + axes)), (1,) * axes)


_SWITCH = _Switch()
_WHOLE_PROGRAM: list[Report] = []  # at most one


def replace() -> Report:
    """Let this library compute PyTorch's upsampling, pooling and unpooling from now on.

    That concerns CPU tensors, forward and backward, in every thread. What this library does not take is computed by
    PyTorch as before. The report tells who computed what, as that of :func:`replaced` does; until :func:`restore`,
    further calls return the same one.
    """
    with LOCK:
        if not _WHOLE_PROGRAM:
            report = Report()
            _SWITCH.open(report, computes=True)
            _WHOLE_PROGRAM.append(report)
        return _WHOLE_PROGRAM[0]


def restore() -> None:
    """Undo :func:`replace`. Blocks of :func:`replaced` that are still open keep their replacements."""
    with LOCK:
        while _WHOLE_PROGRAM:
            _SWITCH.close(_WHOLE_PROGRAM.pop())


class Block(ContextDecorator):
    """What :func:`replaced` returns. It may be entered several times, also before it is left."""

    def __init__(self, computes: bool) -> None:
        self._computes = computes
        self._entered: list[Report] = []

    def __enter__(self) -> Report:
        report = Report()
        _SWITCH.open(report, self._computes)
        self._entered.append(report)
        return report

    def __exit__(self, *_: object) -> None:
        _SWITCH.close(self._entered.pop())


def replaced() -> Block:
    """:func:`replace` for the time of a ``with`` block, or of a decorated function.

    ``with replaced() as report:`` tells which calls were taken, which were passed on to PyTorch and why, and how long
    they took: ``print(report)``.
    """
    return Block(computes=True)


def watched() -> Block:
    """Count and time the calls of the same operators, whoever computes them."""
    return Block(computes=False)
