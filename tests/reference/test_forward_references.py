"""The references of the forward operators against PyTorch in float64, and against the references of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference
from acltwin.ops import OPERATORS
from support.lazy import functional, torch
from support.libraries import PYTORCH_UPSAMPLING
from support.registry import axes_of

INNER = (2, 3, 4)
SIZES = [(4, 6, 8), (3, 5, 7), (1, 2, 3), (9, 9, 9)]
SCALES = [(None, None, None), (1.7, 2.3, 0.6), (None, 2.3, None)]
WINDOWS: list[tuple[Any, ...]] = [
    (2, 2, 0, 1, False),
    (3, 2, 1, 1, True),
    (3, 1, 1, 1, False),
    ((1, 2, 3), (2, 1, 2), (0, 1, 1), 2, False),
    (2, None, 1, 1, True),
]


@pytest.mark.parametrize("operator", PYTORCH_UPSAMPLING)
@pytest.mark.parametrize("outer", SIZES)
@pytest.mark.parametrize("scales", SCALES)
def test_upsampling_by_the_torch_rule(
    operator: str, outer: tuple[int, ...], scales: tuple[float | None, ...], rng: np.random.Generator
) -> None:
    axes = axes_of(operator)
    image = rng.standard_normal((2, 3, *INNER[-axes:]))
    call = (outer[-axes:], *scales[-axes:])
    theirs = PYTORCH_UPSAMPLING[operator](torch.from_numpy(image), *call)
    assert np.array_equal(getattr(reference, operator)(image, *call, rule="torch"), theirs.numpy())


@pytest.mark.parametrize("operator", PYTORCH_UPSAMPLING)
def test_channels_may_come_last(operator: str, rng: np.random.Generator) -> None:
    axes, data_format = axes_of(operator), OPERATORS[operator].array_formats[1]
    image = rng.standard_normal((2, 5, *INNER[-axes:]))
    upsample = getattr(reference, operator)
    last = upsample(np.moveaxis(image, 1, -1), (5, 7, 9)[-axes:], data_format=data_format)
    assert np.array_equal(np.moveaxis(last, -1, 1), upsample(image, (5, 7, 9)[-axes:]))


def test_integers_stay_integers(rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, (1, 2, 3, 4)).astype(np.uint8)
    assert reference.upsample_nearest_exact2d(image, (6, 8)).dtype == np.uint8
    indices = rng.permutation(24)[:12].reshape(1, 1, 3, 4)
    unpooled = reference.max_unpool3d(image[:, :1], indices, (2, 3, 4), 2, 0)
    assert unpooled.dtype == np.uint8
    assert np.array_equal(unpooled.ravel()[indices], image[:, :1])


def test_max_unpool3d_is_pytorchs(rng: np.random.Generator) -> None:
    image = torch.from_numpy(rng.standard_normal((2, 3, 4, 6, 8)))
    pooled, indices = functional.max_pool3d(image, 2, return_indices=True)
    result = reference.max_unpool3d(pooled.numpy(), indices.numpy(), (4, 6, 8), 2, 0)
    assert np.array_equal(result, functional.max_unpool3d(pooled, indices, 2).numpy())


def test_max_unpool3d_keeps_the_last_of_several() -> None:
    pooled, indices = np.arange(1.0, 5).reshape(1, 1, 1, 4), np.array([2, 0, 2, 0]).reshape(1, 1, 1, 4)
    assert reference.max_unpool3d(pooled, indices, (1, 1, 4), 1, 0).ravel().tolist() == [4, 0, 3, 0]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("nans", [False, True], ids=["numbers", "NaNs"])
def test_max_pool3d_with_argmax_is_pytorchs(window: tuple[Any, ...], nans: bool, rng: np.random.Generator) -> None:
    image = rng.integers(-3, 4, (2, 3, 6, 7, 8)).astype(np.float64)  # few values: ties in every window
    if nans:
        image[rng.random(image.shape) < 0.1] = np.nan
    maxima, places = functional.max_pool3d(torch.from_numpy(image), *window, return_indices=True)
    result, indices = reference.max_pool3d_with_argmax(image, *window)
    assert np.array_equal(result, maxima.numpy(), equal_nan=True)
    assert np.array_equal(indices, places.numpy())


def test_a_window_of_minus_infinities_has_an_index_in_the_input() -> None:
    image = np.full((1, 1, 1, 1, 2), -np.inf)
    maxima, indices = reference.max_pool3d_with_argmax(image, (1, 1, 2), 1, (0, 0, 1), 1, False)
    assert np.isneginf(maxima).all()
    assert indices.ravel().tolist() == [0, 0, 1]
