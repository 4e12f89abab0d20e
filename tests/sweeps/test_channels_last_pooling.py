"""Max pooling of channels-last tensors and its gradient, drawn anew in every run: against PyTorch and references."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import reference
from support import cases, forward
from support.cases import Case, Window, name_of, random_window
from support.layouts import channels_last, contiguous, sliced
from support.lazy import torch
from support.libraries import to_numpy, to_torch
from support.oracles import ordered_scatter_sum
from support.values import FLOATS, assert_same_bits, random_array, random_integers, random_specials, with_one_nan

DTYPE = pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
CHANNELS = (1, 2, 3, 8, 16, 32, 64)
LAYOUTS = (channels_last, channels_last, channels_last, contiguous, sliced)
ROUNDS = 60
BEYOND = (-1, -(2**31), 2**31 - 1)  # in no plane of these tests


@pytest.fixture
def rng() -> Iterator[np.random.Generator]:
    """Other numbers in every run; pytest shows what a test that fails has printed."""
    seed = secrets.randbits(32)
    print(f"np.random.default_rng({seed})")
    threads = acltwin.get_num_threads()
    yield np.random.default_rng(seed)
    acltwin.set_num_threads(threads)


def geometry(rng: np.random.Generator) -> tuple[Window, list[int], tuple[int, int], str]:
    """A window, a plane, a batch and an index dtype; now and then one slice, or any number of channels."""
    window, plane = random_window(rng)
    channels = int(rng.choice(CHANNELS)) if rng.random() < 0.8 else int(rng.integers(1, 100))
    if window.kernel[0] == 1 and rng.random() < 0.5:
        plane[0] = 1
    if channels < 10:
        plane = [n + int(rng.integers(0, 16)) for n in plane]
    acltwin.set_num_threads(int(rng.integers(1, 3)))
    return window, plane, (int(rng.integers(1, 3)), channels), ("int32", "int64")[rng.integers(2)]


def moved(case: Case, rng: np.random.Generator) -> Case:
    """The same call with its tensors channels-last, now and then one of them in another way."""
    return case.mapped(lambda tensor: LAYOUTS[rng.integers(len(LAYOUTS))](tensor))


@DTYPE
@pytest.mark.parametrize("values", [random_array, random_specials])
def test_maxima_are_pytorchs(dtype: np.dtype[Any], values: Any, rng: np.random.Generator) -> None:
    for _ in range(ROUNDS):
        window, plane, batch, index_dtype = geometry(rng)
        case = forward.pool(rng, dtype, plane, window, batch, values, index_dtype=index_dtype)
        maxima, indices = forward.results(moved(case, rng))
        image = to_torch(case.tensors[0])
        theirs, places = torch.nn.functional.max_pool3d(image, *window.parameters, return_indices=True)
        assert_same_bits(with_one_nan(maxima), with_one_nan(to_numpy(theirs)), window)
        assert np.array_equal(indices, places.numpy()), window
        taken = np.take_along_axis(case.tensors[0].reshape(*batch, -1), places.numpy().reshape(*batch, -1), 2)
        assert_same_bits(maxima, taken.reshape(maxima.shape), window)  # a NaN with all of its bits


@DTYPE
@pytest.mark.parametrize("legal", [True, False], ids=["pooled", "any_indices"])
def test_gradients_are_ascending_sums(dtype: np.dtype[Any], legal: bool, rng: np.random.Generator) -> None:
    for _ in range(ROUNDS):
        window, plane, batch, index_dtype = geometry(rng)
        case = cases.pool(rng, dtype, plane, window, batch, np.dtype(index_dtype).type, legal, random_specials)
        if rng.random() < 0.5:  # one index that its window does not reach, or may not
            case.tensors[2].reshape(-1)[rng.integers(case.tensors[2].size)] = rng.integers(np.prod(plane))
        with np.errstate(invalid="ignore", over="ignore"):  # signalling NaNs, infinities, large numbers
            expected = ordered_scatter_sum(case.tensors[0], case.tensors[2], case.result_shape)
        assert_same_bits(with_one_nan(moved(case, rng).run()), with_one_nan(expected), window)


@DTYPE
def test_gradients_of_whole_numbers_are_pytorchs(dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    for _ in range(ROUNDS):
        window, plane, batch, index_dtype = geometry(rng)
        case = cases.pool(rng, dtype, plane, window, batch, np.dtype(index_dtype).type, True, random_integers)
        gradient, values, indices = (to_torch(tensor) for tensor in case.tensors)
        theirs = torch.ops.aten.max_pool3d_with_indices_backward(gradient, values, *window.parameters, indices.long())
        result = moved(case, rng).run()
        assert np.array_equal(result, to_numpy(theirs)), window
        exact = reference.max_pool3d_with_argmax_backward(*case.tensors, *case.parameters)
        assert np.array_equal(result, exact), window


@DTYPE
def test_an_index_outside_the_plane_is_rejected(dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    for _ in range(ROUNDS):
        window, plane, batch, index_dtype = geometry(rng)
        case = cases.pool(rng, dtype, plane, window, batch, np.dtype(index_dtype).type, True)
        beyond = rng.choice((*BEYOND, int(np.prod(plane)), *((2**32, 2**62) if index_dtype == "int64" else ())))
        case.tensors[2].reshape(-1)[rng.integers(case.tensors[2].size)] = beyond
        with pytest.raises(IndexError, match=f"is {beyond}, "):
            moved(case, rng).run()
