"""Which share of a model's time is spent in the operators that this library replaces, and what can be gained at most.

    python -m acltwin.torch.profile MODULE:CALLABLE --shape 1,1,32,32,32

CALLABLE returns the model, or is it. A step is a forward pass and the gradients of all parameters, or with
``--inference`` only the forward pass. Steps with PyTorch's operators and with this library's take turns.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn

from acltwin import set_num_threads
from acltwin.torch._replace import replaced, watched
from acltwin.torch._report import Report

_WARM_UP = 2  # steps of each kind before the first that is measured
_BUSY = 0.2  # cores in use by others that a measurement notices


@dataclass(frozen=True)
class Profile:
    """What the steps took: medians and middle halves in seconds, and the calls of the operators in all of them."""

    steps: int
    step: float  # with PyTorch's operators
    replaced_step: float
    spread: tuple[float, float]  # the quartiles of the steps
    replaced_spread: tuple[float, float]
    operators: float  # of that, inside of the operators
    replaced_operators: float
    calls: Report
    replaced_calls: Report
    others: float = 0.0  # cores that other programs used meanwhile

    @property
    def share(self) -> float:
        """Of a step with PyTorch's operators, what is spent in the operators that are replaced."""
        return self.operators / self.step

    @property
    def limit(self) -> float:
        """How much faster a step would be if these operators took no time at all."""
        return 1 / (1 - self.share)

    @property
    def gain(self) -> float:
        """How much faster a step gets by what is saved inside of the operators; other noise of steps has no say."""
        return 1 / (1 - (self.operators - self.replaced_operators) / self.step)

    def __str__(self) -> str:
        lines = [
            f"a step with PyTorch:  {self.step * 1e3:9.2f} ms ({_range(self.spread)}), "
            f"{_part(self.operators, self.step)} in operators that acltwin replaces",
            f"the same, replaced:   {self.replaced_step * 1e3:9.2f} ms ({_range(self.replaced_spread)}), "
            f"{_part(self.replaced_operators, self.replaced_step)} in them",
            f"gained in them:       {self.gain:9.3f} x",
            f"at most to be gained: {self.limit:9.3f} x, if they took no time at all",
        ]
        wide = max((len(name) for name in self.calls.operators), default=0)
        for name, calls in sorted(self.calls.operators.items()):
            ours = self.replaced_calls.operators[name]
            lines.append(
                f"  {name:{wide}} {sum(calls.passed_on.values()) / self.steps:5.0f} calls per step,"
                f" {calls.passed_on_seconds / self.steps * 1e3:8.3f} ms ->"
                f" {(ours.taken_seconds + ours.passed_on_seconds) / self.steps * 1e3:8.3f} ms"
                + (f" (PyTorch's: {ours.reasons})" if ours.passed_on else "")
            )
        lines.append(f"Times are medians of {self.steps} steps of each kind, with the middle half in parentheses.")
        if self.others > _BUSY:
            others = f"other programs used {self.others:.1f} cores meanwhile"
            lines.append(f"The machine was busy: {others}. Measure again when they are done.")
        return "\n".join(lines)


def _range(spread: tuple[float, float]) -> str:
    return " to ".join(f"{seconds * 1e3:.2f}" for seconds in spread)


def _part(seconds: float, step: float) -> str:
    return f"{seconds * 1e3:.2f} ms ({seconds / step:.1%})"


def _tensors(output: Any) -> list[Tensor]:
    """Of whatever a model returns, what can be trained on."""
    if isinstance(output, Tensor):
        return [output] if output.requires_grad else []
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, (list, tuple)) else ()
    return [tensor for part in parts for tensor in _tensors(part)]


def _step(model: nn.Module, inputs: Sequence[Tensor], training: bool) -> None:
    if not training:
        with torch.inference_mode():
            model(*inputs)
        return
    loss = sum((tensor.square().mean() for tensor in _tensors(model(*inputs))), torch.zeros(()))
    if not loss.requires_grad:
        raise ValueError("the model returns no tensor with a gradient; use --inference, or training=False")
    model.zero_grad()
    loss.backward()


@dataclass
class _Steps:
    """The steps of one kind: how long each took, how much of that inside of the operators, and all of their calls."""

    seconds: list[float] = field(default_factory=list)
    inside: list[float] = field(default_factory=list)
    calls: Report = field(default_factory=Report)


def _busy_seconds() -> tuple[float, float]:
    """The time that all cores of the machine have worked, and that this process has; no difference where unknown."""
    own = sum(os.times()[:2])
    try:
        user, nice, system, _, _, interrupts, soft, stolen = map(int, Path("/proc/stat").read_text().split()[1:9])
    except (OSError, ValueError):
        return own, own
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK"), own


def profile(
    model: nn.Module,
    *inputs: Tensor,
    steps: int = 10,
    training: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Profile:
    """Time steps of a model with PyTorch's operators and with this library's, in turns.

    Args:
        model: ordinary PyTorch on the CPU, not compiled.
        inputs: what the model is called with.
        steps: how many of each kind are measured, after two that are not.
        training: whether a step takes gradients, or is only a forward pass.
        progress: called before each pair of steps, with the number of pairs that are done and that of all.
    """
    model.train(training)
    by_pytorch, by_us = _Steps(), _Steps()
    begin_all, (busy, own) = perf_counter(), _busy_seconds()
    for number in range(-_WARM_UP, steps):
        if progress is not None:
            progress(number + _WARM_UP, steps + _WARM_UP)
        for kind, taken in ((watched, by_pytorch), (replaced, by_us)):
            with kind() as report:
                begin = perf_counter()
                _step(model, inputs, training)
                end = perf_counter()
            if number >= 0:
                taken.seconds.append(end - begin)
                taken.inside.append(report.seconds)
                taken.calls.add(report)
    busy_now, own_now = _busy_seconds()
    others = (busy_now - busy - (own_now - own)) / (perf_counter() - begin_all)
    return Profile(
        steps,
        median(by_pytorch.seconds),
        median(by_us.seconds),
        _quartiles(by_pytorch.seconds),
        _quartiles(by_us.seconds),
        median(by_pytorch.inside),
        median(by_us.inside),
        by_pytorch.calls,
        by_us.calls,
        others,
    )


def _quartiles(seconds: list[float]) -> tuple[float, float]:
    if len(seconds) == 1:
        return seconds[0], seconds[0]
    first, _, third = quantiles(seconds, n=4, method="inclusive")
    return first, third


def _found(name: str) -> nn.Module:
    """The model that MODULE:CALLABLE or FILE.py:CALLABLE names."""
    place, colon, attribute = name.rpartition(":")
    if not colon:
        raise SystemExit(f"{name!r} names no model; write MODULE:CALLABLE or FILE.py:CALLABLE")
    path = Path(place)
    sys.path.insert(0, str(path.parent.resolve()) if path.suffix == ".py" else "")
    module = importlib.import_module(path.stem if path.suffix == ".py" else place)
    found = getattr(module, attribute)
    model = found if isinstance(found, nn.Module) else found()
    if not isinstance(model, nn.Module):
        raise SystemExit(f"{name} is {type(model).__name__}, expected a torch.nn.Module or a function that returns one")
    return model


def _shape(text: str) -> tuple[int, ...]:
    return tuple(int(size) for size in text.split(","))


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m acltwin.torch.profile",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="MODULE:CALLABLE or FILE.py:CALLABLE")
    parser.add_argument(
        "--shape", type=_shape, required=True, action="append", help="shape of an input: 1,1,32,32,32; repeatable"
    )
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, help="threads of PyTorch and acltwin (default: what each chooses)")
    parser.add_argument("--inference", action="store_true", help="only time forward passes")
    chosen = parser.parse_args(words)
    if chosen.threads:
        torch.set_num_threads(chosen.threads)
        set_num_threads(chosen.threads)
    torch.manual_seed(0)
    inputs = [torch.randn(shape) for shape in chosen.shape]

    def show(done: int, all_steps: int) -> None:
        print(f"\r{done} of {all_steps} pairs of steps", end="", file=sys.stderr, flush=True)

    result = profile(_found(chosen.model), *inputs, steps=chosen.steps, training=not chosen.inference, progress=show)
    print("\r", end="", file=sys.stderr, flush=True)
    print(result)


if __name__ == "__main__":
    main()
