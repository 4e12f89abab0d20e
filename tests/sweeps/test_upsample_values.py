"""Values of the upsample gradients: against PyTorch, the float64 reference, and the documented order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference
from support.cases import AXES, DTYPES, UPSAMPLE, Case, Values, name_of, upsample
from support.libraries import PYTORCH, to_numpy, to_torch
from support.oracles import assert_within_summation_error, interval_tables, ordered_interval_sum
from support.values import assert_same_bits, random_array, random_integers

OPERATOR_DTYPE = pytest.mark.parametrize(
    ("operator", "dtype"),
    [(operator, dtype) for operator in UPSAMPLE for dtype in DTYPES[operator]],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)


def random_case(rng: np.random.Generator, operator: str, dtype: np.dtype[Any], values: Values) -> Case:
    """Sizes up to 40 on the last axis, factors above and below 1, scales given on none, some or all axes."""
    axes = AXES[operator]
    most = (10, 14, 40)[-axes:]
    outer = [int(rng.integers(1, n, endpoint=True)) for n in most]
    inner = [int(rng.integers(1, n, endpoint=True)) for n in most]
    if rng.random() < 0.4:  # whole factors have kernels of their own
        inner = [int(rng.integers(1, 6)) for _ in most]
        outer = [n * int(rng.integers(1, 6)) for n in inner]
    scales: list[float | None] = []
    if rng.random() < 0.5:
        scales = [o / i * float(rng.choice([1.0, 1.0, 0.8, 1.1, 1.5])) for o, i in zip(outer, inner, strict=True)]
        scales = [None if rng.random() < 0.15 else scale for scale in scales]
    batch = (int(rng.integers(1, 3)), int(rng.integers(1, 5)))
    rule = str(rng.choice(["device", "torch"]))
    return upsample(rng, operator, dtype, outer, inner, scales, batch, values, rule=rule)


def in_float64(case: Case) -> np.ndarray[Any, np.dtype[np.float64]]:
    result: np.ndarray[Any, np.dtype[np.float64]] = getattr(reference, case.operator)(
        *case.tensors, *case.parameters, **case.keywords
    )
    return result


@OPERATOR_DTYPE
def test_whole_numbers_are_summed_exactly_as_pytorch_and_the_reference_do(
    operator: str, dtype: np.dtype[Any], rng: np.random.Generator
) -> None:
    for _ in range(500):
        case = random_case(rng, operator, dtype, random_integers)
        result = case.run()
        assert np.array_equal(result.astype(np.float64), in_float64(case).astype(dtype).astype(np.float64)), case
        if case.keywords["rule"] == "torch":
            theirs = PYTORCH[operator](to_torch(case.tensors[0]), *case.parameters)
            assert np.array_equal(result, to_numpy(theirs)), case


@OPERATOR_DTYPE
def test_the_additions_are_done_in_the_documented_order(
    operator: str, dtype: np.dtype[Any], rng: np.random.Generator
) -> None:
    """Bit for bit: float16 and bfloat16 are summed in float32 and rounded once."""
    for _ in range(150):
        case = random_case(rng, operator, dtype, random_array)
        assert_same_bits(case.run(), ordered_interval_sum(case.tensors[0], interval_tables(case)), case)


@OPERATOR_DTYPE
def test_the_error_is_that_of_a_few_roundings(operator: str, dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    for _ in range(150):
        case = random_case(rng, operator, dtype, random_array)
        terms = int(np.prod([np.diff(begin).max() for begin in interval_tables(case)]))
        magnitude = in_float64(case.mapped(np.abs))
        assert_within_summation_error(case.run(), in_float64(case), magnitude, terms, case)
