"""A forward and a backward pass through PyTorch's functions, the drop-in functions and PyTorch's functions replaced.

    python benchmarks/pytorch_functions.py [--tiny | --compiled]

All three take turns in one process; each keeps its best time. The first two tables go into
docs/development/autograd.md: with ``--tiny`` the way to a kernel and back is all that matters.
The one of ``--compiled``, where ``torch.compile`` has made code of the functions, goes into docs/frameworks/pytorch.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import torch
import torch.nn.functional as pytorch
from bench.measure import Effort, best_times

import acltwin.torch

EFFORT = Effort(rounds=25, turns_in_a_row=3, warm_up=1)
TINY_EFFORT = Effort(rounds=25, turns_in_a_row=10, warm_up=20)

Functions = Any  # torch.nn.functional, or acltwin.torch with the same names
Rows = dict[str, tuple[torch.Tensor, Callable[[Functions, torch.Tensor], torch.Tensor]]]
Competitor = tuple[Callable[[], AbstractContextManager[Any]], Callable[[], Any]]
"""What is called, and what surrounds its turns: a replacement concerns the whole process."""


def doubled(mode: str, functions: Functions, x: torch.Tensor) -> Any:
    return functions.interpolate(x, scale_factor=2, mode=mode)


def rows(volume: torch.Tensor, image: torch.Tensor) -> Rows:
    small_volume, small_image = volume[..., ::2, ::2, ::2].contiguous(), image[..., ::2, ::2].contiguous()
    pooled, indices = pytorch.max_pool3d(volume, 2, return_indices=True)
    found: Rows = {}
    for mode in ("nearest", "nearest-exact"):
        for axes, tensor in ((3, small_volume), (2, small_image)):
            found[f"`interpolate`, {mode}, {axes}-D, x2"] = tensor, partial(doubled, mode)
    found["`max_pool3d`, kernel 2"] = volume, lambda functions, x: functions.max_pool3d(x, 2)
    found["`max_pool3d`, kernel 3, stride 2, padding 1"] = volume, lambda functions, x: functions.max_pool3d(x, 3, 2, 1)
    found["`max_unpool3d`"] = pooled, lambda functions, x: functions.max_unpool3d(x, indices, 2)
    return found


def both_passes(function: Callable[[torch.Tensor], torch.Tensor], leaf: torch.Tensor, weights: torch.Tensor) -> None:
    leaf.grad = None
    function(leaf).backward(weights)


def best_in_turns(competitors: Mapping[str, Competitor], effort: Effort) -> dict[str, float]:
    best, one_round = dict.fromkeys(competitors, inf), replace(effort, rounds=1)
    for _ in range(effort.rounds):
        for name, (surroundings, call) in competitors.items():
            with surroundings():
                best[name] = min(best[name], best_times({name: call}, one_round)[name])
    return best


def measured(function: Any, leaf: torch.Tensor, effort: Effort, *, backward: bool = True) -> dict[str, float]:
    weights = torch.randn_like(function(pytorch, leaf))

    def passes(functions: Functions) -> Callable[[], Any]:
        forward = partial(function, functions)
        return partial(both_passes, forward, leaf, weights) if backward else partial(forward, leaf)

    return best_in_turns(
        {
            "PyTorch": (nullcontext, passes(pytorch)),
            "drop-in": (nullcontext, passes(acltwin.torch)),
            "`replaced()`": (acltwin.torch.replaced, passes(pytorch)),
        },
        effort,
    )


def print_row(name: str, best: Mapping[str, float], scale: float, unit: str) -> None:
    (_, first), *others = best.items()
    cells = [f"{seconds * scale:.2f} {unit} ({first / seconds:.1f}x)" for _, seconds in others]
    print(f"| {name} | {first * scale:.2f} {unit} | {' | '.join(cells)} |", flush=True)


def print_table() -> None:
    print("| function | PyTorch | drop-in | `replaced()` |")
    print("|---|---|---|---|")
    for name, (tensor, function) in rows(torch.randn(2, 16, 24, 48, 48), torch.randn(8, 16, 128, 128)).items():
        print_row(name, measured(function, tensor.requires_grad_(), EFFORT), 1e3, "ms")


def print_compiled_table() -> None:
    """Times Inductor, for a forward pass and for both. Its own code, ours in a compiled program, and replaced() around
    the program, which only reaches what Inductor leaves to PyTorch's kernels."""
    print("| function | drop-in, forward | and backward | `replaced()`, forward | and backward |")
    print("|---|---|---|---|---|")
    for name, (tensor, function) in rows(torch.randn(2, 16, 24, 48, 48), torch.randn(8, 16, 128, 128)).items():
        leaf, cells = tensor.requires_grad_(), []
        torch._dynamo.reset()
        theirs, ours = (torch.compile(partial(function, functions)) for functions in (pytorch, acltwin.torch))
        weights = torch.randn_like(theirs(leaf))
        ways: dict[str, tuple[Any, Any]] = {
            "Inductor": (nullcontext, theirs),
            "drop-in": (nullcontext, ours),
            "replaced": (acltwin.torch.replaced, theirs),
        }
        for backward in (False, True):
            calls = {
                way: (around, partial(both_passes, call, leaf, weights) if backward else partial(call, leaf.detach()))
                for way, (around, call) in ways.items()
            }
            first, *others = best_in_turns(calls, EFFORT).values()
            cells.append([first / seconds for seconds in others])
        ratios = [f"{cells[passes][way]:.1f}x" for way in range(2) for passes in range(2)]
        print(f"| {name} | {' | '.join(ratios)} |", flush=True)


class Nothing(torch.autograd.Function):
    """An autograd node in Python that computes nothing."""

    @staticmethod
    def forward(_: Any, __: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
        return result

    @staticmethod
    def backward(_: Any, *gradients: Any) -> Any:
        return gradients[0], None


def print_tiny_table() -> None:
    print("| function | PyTorch, forward | drop-in | `replaced()` | and backward: PyTorch | drop-in | `replaced()` |")
    print("|---|---|---|---|---|---|---|")
    for name, (tensor, function) in rows(torch.randn(1, 2, 4, 8, 8), torch.randn(1, 2, 16, 16)).items():
        leaf = tensor.requires_grad_()
        times = [measured(function, leaf, TINY_EFFORT, backward=backward) for backward in (False, True)]
        cells = [f"{seconds * 1e6:.1f} µs" for best in times for seconds in best.values()]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    leaf, result = torch.randn(1, 2, 4, 8, 8, requires_grad=True), torch.randn(1, 2, 4, 8, 8)
    nodes: dict[str, Any] = {
        "`torch.neg`, whose node is PyTorch's": torch.neg,
        "a node in Python that computes nothing": lambda x: Nothing.apply(x, result),  # type: ignore[no-untyped-call]
    }
    passes: dict[str, Competitor] = {}
    for name, node in nodes.items():
        passes[name] = nullcontext, partial(node, leaf)
        passes[f"{name}, and backward"] = nullcontext, partial(both_passes, node, leaf, result)
    for name, seconds in best_in_turns(passes, TINY_EFFORT).items():
        print(f"{name}: {seconds * 1e6:.1f} µs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiny", action="store_true", help="tensors of a few hundred elements, in microseconds")
    parser.add_argument("--compiled", action="store_true", help="against code that torch.compile makes")
    chosen = parser.parse_args()
    (print_compiled_table if chosen.compiled else print_tiny_table if chosen.tiny else print_table)()


if __name__ == "__main__":
    main()
