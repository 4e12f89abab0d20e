"""upsample_nearest2d: which cell each cell copies, in every dtype, and where the device ignores a scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference, upsample_nearest2d
from support.lazy import functional, torch
from support.libraries import to_numpy, to_torch
from support.values import BFLOAT16, assert_same_bits, random_array, random_bits

DTYPES = [np.dtype("float32"), np.dtype("float16"), BFLOAT16, np.dtype("float64"), np.dtype("uint8")]
SIZES = [((3, 4), (6, 8)), ((3, 4), (5, 7)), ((2, 9), (5, 5)), ((6, 8), (3, 4))]


def row(cells: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.arange(cells, dtype=np.float32).reshape(1, 1, 1, cells)


def test_each_cell_is_copied_to_its_places() -> None:
    image = np.array([[10, 20], [30, 40]], np.uint8).reshape(1, 1, 2, 2)
    assert upsample_nearest2d(image, (2, 3))[0, 0].tolist() == [[10, 10, 20], [30, 30, 40]]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("inner", "outer"), SIZES)
@pytest.mark.parametrize("rule", ["device", "torch"])
def test_any_bits_are_copied_as_they_are(
    dtype: np.dtype[Any], inner: tuple[int, ...], outer: tuple[int, ...], rule: Any, rng: np.random.Generator
) -> None:
    image = random_bits(rng, (2, 3, *inner), dtype)
    h, w = (reference.source_table(i, o, 0.0, False, rule) for i, o in zip(inner, outer, strict=True))
    assert_same_bits(upsample_nearest2d(image, outer, rule=rule), image[:, :, h][..., w])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("inner", "outer"), SIZES)
def test_pytorch_agrees(
    dtype: np.dtype[Any], inner: tuple[int, ...], outer: tuple[int, ...], rng: np.random.Generator
) -> None:
    image = to_torch(random_array(rng, (2, 3, *inner), dtype))
    theirs = functional.interpolate(image, outer, mode="nearest")
    assert_same_bits(to_numpy(upsample_nearest2d(image, outer, rule="torch")), to_numpy(theirs))


@pytest.mark.parametrize("scales", [(2.3, 1.4), (None, 1.4), (2.3, None)])
def test_each_scale_matters_to_pytorch(scales: tuple[float | None, ...], rng: np.random.Generator) -> None:
    image = rng.standard_normal((2, 3, 3, 6)).astype(np.float32)
    theirs = torch.ops.aten.upsample_nearest2d(torch.from_numpy(image), (70, 90), *scales)
    assert np.array_equal(upsample_nearest2d(image, (70, 90), *scales, rule="torch"), theirs.numpy())


def test_the_device_uses_both_scales_or_none(rng: np.random.Generator) -> None:
    image = rng.standard_normal((2, 3, 3, 6)).astype(np.float32)
    without = upsample_nearest2d(image, (70, 90))
    for scales in ((None, 1.4), (2.3, None), (0.0, 1.4)):
        assert np.array_equal(upsample_nearest2d(image, (70, 90), *scales), without)
    both = upsample_nearest2d(image, (70, 90), 2.3, 1.4)
    assert np.array_equal(both, upsample_nearest2d(image, (70, 90), 2.3, 1.4, rule="torch"))
    assert not np.array_equal(both, without)


@pytest.mark.parametrize("dtype", [np.float64, np.uint8])
def test_the_device_has_no_scales_for_some_dtypes(dtype: type, rng: np.random.Generator) -> None:
    image = rng.integers(0, 200, (2, 3, 3, 6)).astype(dtype)
    without = upsample_nearest2d(image, (70, 90))
    assert np.array_equal(upsample_nearest2d(image, (70, 90), 2.3, 1.4), without)
    assert np.array_equal(reference.upsample_nearest2d(image, (70, 90), 2.3, 1.4), without)
    assert not np.array_equal(upsample_nearest2d(image, (70, 90), 2.3, 1.4, rule="torch"), without)


def test_the_device_ignores_a_scale_where_the_size_stays() -> None:
    assert np.array_equal(upsample_nearest2d(row(33), (1, 33), 1.0, 1.3), row(33))
    assert np.array_equal(upsample_nearest2d(row(200), (1, 200), 1.0, 1.3), row(200))
    assert not np.array_equal(upsample_nearest2d(row(200), (1, 200), 1.0, 1.3, rule="torch"), row(200))


@pytest.mark.parametrize(("height", "ignored"), [(1, True), (200, False)])
def test_the_device_ignores_a_scale_where_a_small_image_doubles(height: int, ignored: bool) -> None:
    """Small: outH + outW of at most 128."""
    result = upsample_nearest2d(row(20), (height, 40), 1.0, 1.7)[0, 0, 0]
    assert np.array_equal(result, np.repeat(np.arange(20), 2)) == ignored


def test_the_device_ignores_a_scale_where_channels_come_last() -> None:
    """Dimension 1 of an NHWC tensor is H; more than 3 rows count."""
    for rows, ignored in ((4, True), (3, False)):
        image = np.broadcast_to(np.arange(70, dtype=np.float32)[:, None], (1, rows, 70, 2))
        result = upsample_nearest2d(image, (rows, 140), 1.0, 1.7, data_format="NHWC")[0, 0, :, 0]
        assert np.array_equal(result, np.repeat(np.arange(70), 2)) == ignored


def test_the_device_takes_scales_in_float32() -> None:
    """A scale that is not a float32 gives other steps before and after rounding, for some cell."""
    rng = np.random.default_rng(5)
    image = row(3000)
    for scale in map(float, rng.uniform(1.1, 1.9, 500)):
        rounded = upsample_nearest2d(image, (1, 4000), 1.0, float(np.float32(scale)), rule="torch")
        exact = upsample_nearest2d(image, (1, 4000), 1.0, scale, rule="torch")
        if not np.array_equal(rounded, exact):
            assert np.array_equal(upsample_nearest2d(image, (1, 4000), 1.0, scale), rounded)
            return
    pytest.fail("no scale tells float32 from float64")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_channels_may_come_last(dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    image = random_array(rng, (2, 5, 3, 4), dtype)
    last = np.ascontiguousarray(np.moveaxis(image, 1, 3))
    result = upsample_nearest2d(last, (7, 9), data_format="NHWC")
    assert result.shape == (2, 7, 9, 5)
    assert np.array_equal(np.moveaxis(result, 3, 1), upsample_nearest2d(image, (7, 9)))
