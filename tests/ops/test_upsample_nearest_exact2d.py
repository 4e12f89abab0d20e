"""upsample_nearest_exact2d: which cell each cell copies, in every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference, upsample_nearest_exact2d
from support.lazy import functional, torch
from support.libraries import PYTORCH_UPSAMPLING, to_numpy, to_torch
from support.values import BFLOAT16, assert_same_bits, random_array, random_bits

DTYPES = [np.dtype("float32"), np.dtype("float16"), BFLOAT16, np.dtype("float64"), np.dtype("uint8")]
SIZES = [((3, 4), (6, 8)), ((3, 4), (5, 7)), ((2, 9), (5, 5)), ((6, 8), (3, 4))]


def test_each_cell_is_copied_to_its_places() -> None:
    image = np.array([[10, 20], [30, 40]], np.uint8).reshape(1, 1, 2, 2)
    assert upsample_nearest_exact2d(image, (2, 3))[0, 0].tolist() == [[10, 20, 20], [30, 40, 40]]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("inner", "outer"), SIZES)
@pytest.mark.parametrize("rule", ["device", "torch"])
def test_any_bits_are_copied_as_they_are(
    dtype: np.dtype[Any], inner: tuple[int, ...], outer: tuple[int, ...], rule: Any, rng: np.random.Generator
) -> None:
    image = random_bits(rng, (2, 3, *inner), dtype)
    h, w = (reference.source_table(i, o, 0.0, True, rule) for i, o in zip(inner, outer, strict=True))
    assert_same_bits(upsample_nearest_exact2d(image, outer, rule=rule), image[:, :, h][..., w])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("inner", "outer"), SIZES)
def test_pytorch_agrees(
    dtype: np.dtype[Any], inner: tuple[int, ...], outer: tuple[int, ...], rng: np.random.Generator
) -> None:
    image = to_torch(random_array(rng, (2, 3, *inner), dtype))
    theirs = functional.interpolate(image, outer, mode="nearest-exact")
    assert_same_bits(to_numpy(upsample_nearest_exact2d(image, outer, rule="torch")), to_numpy(theirs))


@pytest.mark.parametrize("rule", ["device", "torch"])
def test_each_scale_counts_on_its_own(rule: Any, rng: np.random.Generator) -> None:
    image = torch.from_numpy(rng.standard_normal((2, 3, 3, 6)).astype(np.float32))
    for scales in ((2.3, 1.4), (None, 1.4), (2.3, None)):
        theirs = PYTORCH_UPSAMPLING["upsample_nearest_exact2d"](image, (7, 9), *scales)
        assert torch.equal(upsample_nearest_exact2d(image, (7, 9), *scales, rule=rule), theirs)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_channels_may_come_last(dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    image = random_array(rng, (2, 5, 3, 4), dtype)
    last = np.ascontiguousarray(np.moveaxis(image, 1, 3))
    result = upsample_nearest_exact2d(last, (7, 9), data_format="NHWC")
    assert result.shape == (2, 7, 9, 5)
    assert np.array_equal(np.moveaxis(result, 3, 1), upsample_nearest_exact2d(image, (7, 9)))
