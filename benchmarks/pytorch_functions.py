"""A forward and a backward pass through PyTorch's functions, the drop-in functions and PyTorch's functions replaced.

    python benchmarks/pytorch_functions.py

PyTorch and the drop-in functions take turns in one process; each keeps its best time. The table goes into
docs/frameworks/pytorch.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as pytorch
from bench.measure import Effort, best_times

import acltwin.torch

EFFORT = Effort(rounds=25, turns_in_a_row=3, warm_up=1)

Functions = Any  # torch.nn.functional, or acltwin.torch with the same names
Rows = dict[str, tuple[torch.Tensor, Callable[[Functions, torch.Tensor], torch.Tensor]]]


def rows() -> Rows:
    volume, image = torch.randn(2, 16, 24, 48, 48), torch.randn(8, 16, 128, 128)
    small_volume, small_image = volume[..., ::2, ::2, ::2].contiguous(), image[..., ::2, ::2].contiguous()
    pooled, indices = pytorch.max_pool3d(volume, 2, return_indices=True)
    found: Rows = {}
    for mode in ("nearest", "nearest-exact"):
        for axes, tensor in ((3, small_volume), (2, small_image)):
            found[f"`interpolate`, {mode}, {axes}-D, x2"] = (
                tensor,
                lambda functions, x, mode=mode: functions.interpolate(x, scale_factor=2, mode=mode),
            )
    found["`max_pool3d`, kernel 2"] = volume, lambda functions, x: functions.max_pool3d(x, 2)
    found["`max_pool3d`, kernel 3, stride 2, padding 1"] = volume, lambda functions, x: functions.max_pool3d(x, 3, 2, 1)
    found["`max_unpool3d`"] = pooled, lambda functions, x: functions.max_unpool3d(x, indices, 2)
    return found


def both_passes(functions: Functions, function: Any, leaf: torch.Tensor, weights: torch.Tensor) -> None:
    leaf.grad = None
    function(functions, leaf).backward(weights)


def main() -> None:
    print("| function | PyTorch | drop-in | `replaced()` |")
    print("|---|---|---|---|")
    for name, (tensor, function) in rows().items():
        leaf = tensor.requires_grad_()
        call = (function, leaf, torch.randn_like(function(pytorch, leaf)))
        competitors = {
            "pytorch": partial(both_passes, pytorch, *call),
            "own": partial(both_passes, acltwin.torch, *call),
        }
        best = best_times(competitors, EFFORT)
        with acltwin.torch.replaced():  # which concerns the whole process, so it has no turns with the others
            best["replaced"] = best_times({"replaced": competitors["pytorch"]}, EFFORT)["replaced"]
        cells = [f"{best[n] * 1e3:.2f} ms ({best['pytorch'] / best[n]:.1f}x)" for n in ("own", "replaced")]
        print(f"| {name} | {best['pytorch'] * 1e3:.2f} ms | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
