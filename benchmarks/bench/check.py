"""Is the result right? The time of a wrong one says nothing."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np

from bench.peers import installed, pytorch, torch_result
from bench.problems import Array, Problem, Result, parameter_names

CHECKED_BYTES = 64 << 20  # of larger tensors not every plane is checked

ROUNDING = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
WIDER = {"float16": np.float32, "bfloat16": np.float32, "float32": np.float64}

Planes = tuple[slice, slice]
"""Some samples and channels."""


class WrongResultError(Exception):
    """A result that differs from the reference by more than rounding."""


def arrays(result: Result) -> tuple[Array, ...]:
    return result if isinstance(result, tuple) else (result,)


def same(result: Result, expected: Result) -> bool:
    return all(map(np.array_equal, arrays(result), arrays(expected)))


def check(problem: Problem, result: Result) -> None:
    """Compares with PyTorch in the next wider type, or, without PyTorch, one plane with the reference.

    A large tensor's first and last planes stand for all: the others repeat what smaller cases are checked for.
    """
    for array in arrays(result):
        if array.shape != problem.result_shape:
            raise WrongResultError(f"a result has shape {array.shape}, expected {problem.result_shape}")
    with_torch = installed("torch")
    for planes in _checked_planes(problem) if with_torch else [(slice(1), slice(1))]:
        part = _part(problem, planes)
        expected = torch_result(pytorch(_widened(part)).allocate()) if with_torch else _reference(part)
        for own, right in zip(arrays(result), arrays(expected), strict=True):
            _compare(part, own[planes], right, planes)


def _checked_planes(problem: Problem) -> list[Planes]:
    samples, channels = problem.result_shape[:2]
    size = problem.bytes
    if size <= CHECKED_BYTES or samples * channels == 1:
        return [(slice(samples), slice(channels))]
    count = max(1, min(channels, CHECKED_BYTES // 2 * samples * channels // size))
    return [(slice(1), slice(count)), (slice(samples - 1, samples), slice(channels - count, channels))]


def _part(problem: Problem, planes: Planes) -> Problem:
    """The same call on some of the planes."""
    tensors = tuple(tensor[planes] for tensor in problem.tensors)
    result_shape = (*tensors[0].shape[:2], *problem.result_shape[2:])
    named = zip(parameter_names(problem.spec), problem.parameters, strict=True)
    parameters = tuple(result_shape if name == "inputSize" else value for name, value in named)
    return replace(problem, tensors=tensors, result_shape=result_shape, parameters=parameters)


def _widened(problem: Problem) -> Problem:
    wider = WIDER.get(problem.dtype.name)
    # PyTorch looks for the nearest float64 cell in float64, but only where it copies contiguous tensors: not in
    # gradients, and not with channels last. A copy is the same in every type, so float32 stands for all of them.
    copies = problem.spec.family == "upsample" and not problem.spec.is_gradient and problem.dtype.name in ROUNDING
    # Weights follow from coordinates that both round in the type of the sums: float32 finds those of float32.
    if copies or (problem.spec.family == "linear" and problem.dtype.name == "float32"):
        wider = np.float32
    # Of channels-last tensors, PyTorch's gradient of 3-D adaptive max pooling reads the wrong cells.
    problem = replace(problem, tensors=tuple(map(np.ascontiguousarray, problem.tensors)))
    if wider is None:
        return problem
    gradient, *others = problem.tensors
    kinds = [argument.holds for argument in problem.spec.inputs if argument.kind == "tensor"]
    if "shape" in kinds:
        others[kinds.index("shape") - 1] = np.zeros(problem.tensors[kinds.index("shape")].shape, wider)  # never read
    return replace(problem, tensors=(gradient.astype(wider), *others))


def _reference(problem: Problem) -> Result:
    reference = getattr(importlib.import_module("acltwin.reference"), problem.operator)
    keywords = {name: value for name, value in problem.keywords.items() if name == "rule"}
    expected: Result = reference(*problem.tensors, *problem.parameters, **keywords)
    return expected


def _compare(problem: Problem, result: Array, expected: Array, planes: Planes) -> None:
    summed = problem.spec.family in ("average", "linear")
    if problem.spec.family == "unpool" or not (summed or problem.spec.is_gradient):  # copies
        wrong = result.astype(expected.dtype, copy=False) != expected
    else:
        exact = expected.astype(np.float64, copy=False)
        rounding = ROUNDING[problem.dtype.name]
        # A coordinate is rounded by its own size, and a weight is as far off.
        sizes = (*problem.tensors[0].shape[2:], *problem.result_shape[2:]) if problem.spec.family == "linear" else (1,)
        summing = 4 * problem.terms * max(sizes) * min(rounding, ROUNDING["float32"])
        wrong = ~(np.abs(result.astype(np.float64) - exact) <= summing + rounding * np.abs(exact))
    if wrong.any():
        place = tuple(int(n) for n in np.argwhere(wrong)[0])
        starts = (*(part.start or 0 for part in planes), *(0 for _ in place[2:]))
        raise WrongResultError(
            f"{np.count_nonzero(wrong)} of {wrong.size} checked values are wrong; the first one, "
            f"at {tuple(map(sum, zip(starts, place, strict=True)))}, is {result[place]}, expected {expected[place]}"
        )
