"""upsample_nearest3d and upsample_nearest_exact3d: which cell each cell copies, in every dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import reference
from acltwin.ops import OPERATORS
from support.lazy import functional, torch
from support.libraries import PYTORCH_UPSAMPLING, to_numpy, to_torch
from support.values import BFLOAT16, assert_same_bits, random_array, random_bits

DTYPES = [np.dtype("float32"), np.dtype("float16"), BFLOAT16, np.dtype("float64")]
SIZES = [((2, 3, 4), (4, 6, 8)), ((2, 3, 4), (3, 5, 7)), ((5, 2, 9), (5, 5, 5)), ((4, 6, 8), (2, 3, 4))]


@pytest.fixture(params=["upsample_nearest3d", "upsample_nearest_exact3d"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def upsample(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(acltwin, name)
    return function


def test_each_cell_is_copied_to_its_places(name: str, upsample: Callable[..., Any]) -> None:
    """1.5 times as many cells: the one in the middle copies the first cell, or the one that its centre lies in."""
    image = np.array([10, 20], np.float32).reshape(1, 1, 1, 1, 2)
    middle = 20 if OPERATORS[name].is_exact else 10
    assert upsample(image, (1, 1, 3)).ravel().tolist() == [10, middle, 20]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("inner", "outer"), SIZES)
@pytest.mark.parametrize("rule", ["device", "torch"])
def test_any_bits_are_copied_as_they_are(
    name: str,
    upsample: Callable[..., Any],
    dtype: np.dtype[Any],
    inner: tuple[int, ...],
    outer: tuple[int, ...],
    rule: Any,
    rng: np.random.Generator,
) -> None:
    image = random_bits(rng, (2, 3, *inner), dtype)
    d, h, w = (
        reference.source_table(i, o, 0.0, OPERATORS[name].is_exact, rule) for i, o in zip(inner, outer, strict=True)
    )
    assert_same_bits(upsample(image, outer, rule=rule), image[:, :, d][..., h, :][..., w])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("inner", "outer"), SIZES)
def test_pytorch_agrees(
    name: str,
    upsample: Callable[..., Any],
    dtype: np.dtype[Any],
    inner: tuple[int, ...],
    outer: tuple[int, ...],
    rng: np.random.Generator,
) -> None:
    image = to_torch(random_array(rng, (2, 3, *inner), dtype))
    theirs = functional.interpolate(image, outer, mode="nearest-exact" if OPERATORS[name].is_exact else "nearest")
    assert_same_bits(to_numpy(upsample(image, outer, rule="torch")), to_numpy(theirs))


def test_pytorch_agrees_with_given_scales(name: str, upsample: Callable[..., Any], rng: np.random.Generator) -> None:
    image = torch.from_numpy(rng.standard_normal((2, 3, 3, 3, 6)).astype(np.float32))
    for scales in ((1.7, 2.3, 1.4), (None, 2.3, None), (1.3, 2.1, 0.9)):
        for size in ((5, 7, 9), (3, 6, 6)):  # the second as large as the input, and twice as large
            theirs = PYTORCH_UPSAMPLING[name](image, size, *scales)
            assert torch.equal(upsample(image, size, *scales, rule="torch"), theirs)


def test_the_device_takes_scales_only_together(upsample: Callable[..., Any]) -> None:
    image = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    plain = upsample(image, (4, 4, 4))
    assert np.array_equal(upsample(image, (4, 4, 4), 1.0, 1.0), plain)
    together = upsample(image, (4, 4, 4), 1.0, 1.0, 1.0)
    assert together[0, 0, 0, 0].tolist() == [0, 1, 1, 1]  # a factor of 1; what lies behind copies the last cell
    each = upsample(image, (4, 4, 4), 1.0, rule="torch")
    assert each[0, 0, :, 0, 0].tolist() == [0, 4, 4, 4]
    assert each[0, 0, 0, 0].tolist() == [0, 0, 1, 1]


def test_channels_may_come_last(upsample: Callable[..., Any], rng: np.random.Generator) -> None:
    image = random_array(rng, (2, 5, 2, 3, 4), np.dtype("float32"))
    last = np.ascontiguousarray(np.moveaxis(image, 1, 4))
    result = upsample(last, (5, 7, 9), data_format="NDHWC")
    assert result.shape == (2, 5, 7, 9, 5)
    assert np.array_equal(np.moveaxis(result, 4, 1), upsample(image, (5, 7, 9)))


def test_any_factor_is_allowed(upsample: Callable[..., Any]) -> None:
    image = np.full((1, 1, 1, 1, 1), 7.0)
    assert (upsample(image, (1, 1, 6000)) == 7).all()
