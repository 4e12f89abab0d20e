"""How many of the built-in wrong implementations three sets of cases catch. Prints a table for each family.

    python benchmarks/golden_catches.py [OPERATOR...]

``ones`` and ``random`` are what kernels are commonly tested with: a whole factor or windows that touch, all ones or
uniform numbers of both signs, and a tolerance ("mixed@ttk"). ``quick`` and ``default`` are the cases of
``acltwin.golden`` under its own rule.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable

import ml_dtypes  # noqa: F401 - gives NumPy the name "bfloat16"
import numpy as np

import acltwin
from acltwin import golden
from acltwin.golden.wrong import CAUSES
from acltwin.golden.wrong.score import Score, score, wrong_implementations
from acltwin.ops import OPERATORS, OpSpec

DTYPES = ("float32", "float16", "bfloat16")
BATCH = (2, 3)
SMALL, LARGE = (4, 8, 16), (8, 16, 32)
Fill = Callable[[tuple[int, ...]], np.ndarray]


def common_cases(spec: OpSpec, fill: Fill) -> list[golden.Case]:
    """One case for each type: factor 2, windows of 2 without overlap."""
    made = []
    for dtype in DTYPES:
        tensors, arguments = _call(spec, fill)
        typed = {name: tensor if tensor.dtype.kind == "i" else tensor.astype(dtype) for name, tensor in tensors.items()}
        made.append(golden.Case.of(spec.name, typed, arguments, name=dtype))
    return made


def _call(spec: OpSpec, fill: Fill) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    axes = len(spec.axes)
    small, large = (*BATCH, *SMALL[-axes:]), (*BATCH, *LARGE[-axes:])
    if spec.family == "upsample":
        values = next(argument.python_name for argument in spec.inputs if argument.kind == "tensor")
        arguments: dict[str, object] = {"output_size": large[2:]}
        if spec.is_gradient:
            arguments["input_size"] = small
        return {values: fill(large if spec.is_gradient else small)}, arguments
    image = np.random.default_rng(1).uniform(-1, 1, large)
    window = {"kernel_size": 2, "stride": 2, "padding": 0, "dilation": 1, "ceil_mode": False}
    _, indices = acltwin.max_pool3d_with_argmax(image, **window)
    if spec.family == "pool":
        if not spec.is_gradient:
            return {"input": fill(large)}, dict(window)
        return {"grad_output": fill(small), "input": image, "indices": indices}, dict(window)
    undone: dict[str, object] = {"output_size": large[2:], "stride": (2, 2, 2), "padding": (0, 0, 0)}
    tensors = {"indices": indices.astype(np.int64)}
    if spec.is_gradient:
        return {"grad_output": fill(large), "input": np.zeros(small), **tensors}, undone
    return {"input": fill(small), **tensors}, undone


def uniform(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(2).uniform(-1, 1, shape)


def scores(operator: str) -> dict[str, Score]:
    spec = OPERATORS[operator]
    return {
        "ones": score(common_cases(spec, np.ones), rule="mixed@ttk", advise=False),
        "random": score(common_cases(spec, uniform), rule="mixed@ttk", advise=False),
        "quick": score(golden.cases(operator, level="quick"), advise=False),
        "default": score(golden.cases(operator), advise=False),
    }


def main() -> None:
    families = defaultdict(list)
    for operator in sys.argv[1:] or OPERATORS:
        families[OPERATORS[operator].family].append(operator)
    for family, operators in families.items():
        print(f"{family:34} {'wrong':>6} {'ones':>6} {'random':>6} {'quick':>6} {'default':>7}  right ones rejected")
        missed: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        totals: dict[str, int] = defaultdict(int)
        for operator in operators:
            results = scores(operator)
            for wrong in wrong_implementations(operator):
                totals[wrong.cause] += 1
            for name, result in results.items():
                for cause, count in result.survivors_by_cause.items():
                    missed[name][cause] += count
            rejected = sum(len(result.rejections) for result in results.values())
            _row(operator, next(iter(results.values())).total, [result.caught for result in results.values()], rejected)
        for cause in CAUSES:
            _row(f"  {cause}", totals[cause], [totals[cause] - missed[name][cause] for name in results])
        print()


def _row(name: str, total: int, caught: list[int], rejected: int | str = "") -> None:
    print(f"{name:34} {total:>6} {caught[0]:>6} {caught[1]:>6} {caught[2]:>6} {caught[3]:>7}  {rejected}", flush=True)


if __name__ == "__main__":
    main()
