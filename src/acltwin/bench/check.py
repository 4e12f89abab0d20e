"""Is the result right? The time of a wrong one says nothing."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import numpy as np

from acltwin.bench.grid import FORWARD, UNPOOL, UPSAMPLE_TYPES
from acltwin.bench.peers import installed, pytorch, torch_result
from acltwin.bench.problems import Array, Problem, Result

ROUNDING = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
WIDER = {"float16": np.float32, "bfloat16": np.float32, "float32": np.float64}


class WrongResultError(Exception):
    """A result that differs from the reference by more than rounding."""


def arrays(result: Result) -> tuple[Array, ...]:
    return result if isinstance(result, tuple) else (result,)


def same(result: Result, expected: Result) -> bool:
    return all(map(np.array_equal, arrays(result), arrays(expected)))


def check(problem: Problem, result: Result) -> None:
    """Compares with PyTorch in the next wider type, or, without PyTorch, one plane with the reference."""
    for array in arrays(result):
        if array.shape != problem.result_shape:
            raise WrongResultError(f"a result has shape {array.shape}, expected {problem.result_shape}")
    if installed("torch"):
        found, expected = arrays(result), arrays(torch_result(pytorch(_widened(problem)).allocate()))
    else:
        found = tuple(array[:1, :1] for array in arrays(result))
        expected = arrays(_reference_of_first_plane(problem))
    for own, right in zip(found, expected, strict=True):
        _compare(problem, own, right)


def _widened(problem: Problem) -> Problem:
    wider = WIDER.get(problem.dtype.name)
    if wider is None:
        return problem
    gradient, *others = problem.tensors
    if others and problem.operator not in FORWARD:
        others[0] = np.zeros(others[0].shape, wider)  # `input`, which nobody reads
    return replace(problem, tensors=(gradient.astype(wider), *others))


def _reference_of_first_plane(problem: Problem) -> Result:
    reference = getattr(importlib.import_module("acltwin.reference"), problem.operator)
    tensors = tuple(tensor[:1, :1] for tensor in problem.tensors)
    parameters: tuple[Any, ...] = problem.parameters
    if problem.operator in UPSAMPLE_TYPES and problem.operator not in FORWARD:
        output_size, input_size, *scales = parameters
        parameters = (output_size, (1, 1, *input_size[2:]), *scales)
    keywords = {name: value for name, value in problem.keywords.items() if name == "rule"}
    expected: Result = reference(*tensors, *parameters, **keywords)
    return expected


def _compare(problem: Problem, result: Array, expected: Array) -> None:
    if problem.operator == UNPOOL or problem.operator in FORWARD:  # copies
        wrong = result.astype(expected.dtype, copy=False) != expected
    else:
        exact = expected.astype(np.float64, copy=False)
        rounding = ROUNDING[problem.dtype.name]
        summing = 4 * problem.terms * min(rounding, ROUNDING["float32"])
        wrong = ~(np.abs(result.astype(np.float64) - exact) <= summing + rounding * np.abs(exact))
    if wrong.any():
        place = tuple(int(n) for n in np.argwhere(wrong)[0])
        raise WrongResultError(
            f"{np.count_nonzero(wrong)} of {wrong.size} values are wrong; the first one, at {place}, "
            f"is {result[place]}, expected {expected[place]}"
        )
