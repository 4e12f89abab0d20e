"""What a call costs when there is next to nothing to compute."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

from bench.grid import (
    EXACT2D,
    EXACT3D,
    FORWARD_EXACT2D,
    FORWARD_EXACT3D,
    FORWARD_NEAREST3D,
    FORWARD_POOL,
    FORWARD_UNPOOL,
    NEAREST3D,
    OVERLAP,
    POOL,
    UNPOOL,
    Case,
    Indexed,
    Upsample,
)
from bench.measure import Effort, best_times
from bench.peers import installed, pytorch, torch_tensor
from bench.problems import build
from bench.results import OverheadResult

EFFORT = Effort(rounds=20, turns_in_a_row=10, warm_up=1)
CASES: tuple[Case, ...] = (
    *(
        Upsample(operator, "float32", "tiny", factor)
        for operator in (EXACT3D, NEAREST3D, EXACT2D)
        for factor in (2.0, 1.5)
    ),
    Indexed(UNPOOL, "float32", "tiny"),
    Indexed(POOL, "float32", "tiny"),
    Indexed(POOL, "float32", "tiny", OVERLAP),
    *(Upsample(operator, "float32", "tiny", 2.0) for operator in (FORWARD_EXACT3D, FORWARD_NEAREST3D, FORWARD_EXACT2D)),
    Indexed(FORWARD_UNPOOL, "float32", "tiny"),
    Indexed(FORWARD_POOL, "float32", "tiny"),
)


def measure_overhead(case: Case) -> OverheadResult:
    """Ours on arrays and on tensors, and PyTorch's operator, all allocating their result, in turns."""
    problem = build(case)
    function = getattr(importlib.import_module("acltwin"), problem.operator)
    competitors: dict[str, Callable[[], Any]] = {"numpy": partial(function, *problem.tensors, *problem.parameters)}
    if installed("torch"):
        tensors = [torch_tensor(tensor) for tensor in problem.tensors]
        competitors["tensors"] = partial(function, *tensors, *problem.parameters)
        competitors["pytorch"] = pytorch(problem).allocate
    best = best_times(competitors, EFFORT)
    return OverheadResult(case.label, best["numpy"], best.get("tensors"), best.get("pytorch"))
