"""The pooling gradient over many windows: against PyTorch, the float64 reference, and one addition after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference
from support.cases import DTYPES, POOL, Case, Values, name_of, pool, random_window
from support.lazy import torch
from support.libraries import to_numpy, to_torch
from support.oracles import assert_within_summation_error, ordered_scatter_sum
from support.values import assert_same_bits, random_array, random_integers

DTYPE = pytest.mark.parametrize("dtype", DTYPES[POOL], ids=name_of)
LEGAL = pytest.mark.parametrize("legal", [True, False], ids=["pooled", "any_indices"])


def random_case(rng: np.random.Generator, dtype: np.dtype[Any], legal: bool, values: Values) -> Case:
    window, plane = random_window(rng)
    batch = tuple(int(n) for n in rng.integers(1, 4, int(rng.integers(1, 3))))
    return pool(rng, dtype, plane, window, batch, (np.int32, np.int64)[rng.integers(2)], legal, values)


@DTYPE
@LEGAL
def test_every_cell_is_the_ascending_float32_sum(dtype: np.dtype[Any], legal: bool, rng: np.random.Generator) -> None:
    for _ in range(300):
        case = random_case(rng, dtype, legal, random_array)
        expected = ordered_scatter_sum(case.tensors[0], case.tensors[2], case.result_shape)
        assert_same_bits(case.run(), expected, case.parameters)


@LEGAL
def test_pytorch_differs_by_the_error_of_float32_sums(legal: bool, rng: np.random.Generator) -> None:
    for _ in range(300):
        case = random_case(rng, np.dtype(np.float32), legal, random_array)
        grad_output, values, indices = (to_torch(tensor) for tensor in case.tensors)
        theirs = torch.ops.aten.max_pool3d_with_indices_backward(grad_output, values, *case.parameters, indices.long())
        exact, magnitude, terms = exact_sums(case)
        assert_within_summation_error(case.run(), exact, magnitude, terms, case.parameters)
        assert_within_summation_error(to_numpy(theirs), exact, magnitude, terms, case.parameters)


@DTYPE
def test_whole_numbers_are_summed_exactly(dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    for _ in range(200):
        case = random_case(rng, dtype, True, random_integers)
        assert np.array_equal(case.run().astype(np.float64), exact_sums(case)[0].astype(dtype).astype(np.float64))


def exact_sums(case: Case) -> tuple[Any, Any, int]:
    """The sums, those of absolute values, and the most terms of one cell."""
    sums = reference.max_pool3d_with_argmax_backward
    gradient, values, indices = case.tensors
    exact = sums(gradient, values, indices, *case.parameters)
    magnitude = sums(np.abs(gradient), values, indices, *case.parameters)
    counts = sums(np.ones_like(gradient), values, indices, *case.parameters)
    return exact, magnitude, int(counts.max())
