"""What a call costs when there is next to nothing to compute."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

from bench.cases import Case
from bench.grid import tiny_cases
from bench.measure import Effort, best_times
from bench.peers import installed, pytorch, torch_tensor
from bench.problems import build
from bench.results import OverheadResult

EFFORT = Effort(rounds=20, turns_in_a_row=10, warm_up=1)
CASES: tuple[Case, ...] = tuple(tiny_cases())


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
