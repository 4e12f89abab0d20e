"""2-D nearest upsampling and its gradient through C: which scales matter on which SoC, and who rounds how."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS
from support.acl_door import Door, OpenDoor
from support.values import BFLOAT16, Array

FORWARD, BACKWARD = OPERATORS["upsample_nearest2d"], OPERATORS["upsample_nearest2d_backward"]
EVERY_SOC = pytest.mark.parametrize("soc", ["Ascend910", "Ascend910B", "Ascend910_93", "Ascend950"])
TRAINING_SOCS = pytest.mark.parametrize("soc", ["Ascend910", "Ascend910B", "Ascend910_93"])
FLOATS = [np.dtype(np.float32), np.dtype(np.float16), BFLOAT16]
WITHOUT_SCALES = [np.dtype(np.float64), np.dtype(np.uint8)]

Scales = tuple[float, float]
Size = tuple[int, int]


def upsample(door: Door, image: Array, size: Size, scales: Scales, format: str = "NCHW") -> Array:
    """(H, W) enlarged."""
    planes = image[None, None] if format == "NCHW" else image[None, :, :, None]
    shape = (1, 1, *size) if format == "NCHW" else (1, *size, 1)
    result = door.place(np.zeros(shape, image.dtype), format)
    arguments = {"self": door.place(planes, format), "outputSize": size, "scalesH": scales[0], "scalesW": scales[1]}
    refusal = door.run(FORWARD, {**arguments, "out": result})
    assert refusal is None, refusal
    return result.read().reshape(size)


def downsample(door: Door, gradient: Array, size: Size, scales: Scales) -> Array:
    """The gradient of an image (H, W)."""
    result = door.place(np.zeros((1, 1, *size), gradient.dtype), "NCHW")
    arguments = {
        "gradOut": door.place(gradient[None, None], "NCHW"),
        "outputSize": gradient.shape,
        "inputSize": (1, 1, *size),
        "scalesH": scales[0],
        "scalesW": scales[1],
    }
    refusal = door.run(BACKWARD, {**arguments, "gradInput": result})
    assert refusal is None, refusal
    return result.read().reshape(size)


def cells(dtype: np.dtype[Any], height: int, width: int) -> Array:
    """An image whose cells all differ, if the dtype has so many numbers."""
    return (np.arange(height)[:, None] * width + np.arange(width)).astype(dtype)


def sources(size: int, outer: int, scale: float) -> Array:
    """floor(o * t) in float32; a scale of 0 means that the sizes decide."""
    t = np.float32(1.0 / float(np.float32(scale))) if scale > 0 else np.float32(size) / np.float32(outer)
    return np.minimum(np.floor(np.arange(outer, dtype=np.float32) * t), size - 1).astype(int)


def used_scales(soc: str, shape: Size, size: Size, scales: Scales, rows: int = 0) -> list[float]:
    """What the device makes of the scales; ``rows`` are those of a channels-last image."""
    if soc == "Ascend950":
        return [0.0, 0.0] if shape == size else list(scales)
    if min(scales) <= 0:
        return [0.0, 0.0]
    shortcut = sum(size) <= 128 or rows > 3
    return [
        0.0 if after == before or (shortcut and after == 2 * before) else scale
        for before, after, scale in zip(shape, size, scales, strict=True)
    ]


@EVERY_SOC
@pytest.mark.parametrize("format", ["NCHW", "NHWC"])
def test_random_sizes_and_scales(open_door: OpenDoor, soc: str, format: str, rng: np.random.Generator) -> None:
    door = open_door(soc=soc)
    for _ in range(300):
        height, width = (int(n) for n in rng.integers(1, 90, 2))
        factors = rng.choice([1.0, 2.0, rng.uniform(0.3, 3)], 2)
        outer = (max(int(height * factors[0]), 1), max(int(width * factors[1]), 1))
        drawn = rng.choice([0.0, -1.0, 1.0, 1.02, 2.0, 1.7, rng.uniform(0.3, 3)], 2)
        scales = (float(drawn[0]), float(drawn[1]))
        image = cells(FLOATS[0], height, width)
        used = used_scales(soc, (height, width), outer, scales, height if format == "NHWC" else 0)
        expected = image[sources(height, outer[0], used[0])][:, sources(width, outer[1], used[1])]
        result = upsample(door, image, outer, scales, format)
        assert np.array_equal(result, expected), (image.shape, outer, scales)
        if soc == "Ascend910B":  # the array function's
            planes = image[None, None] if format == "NCHW" else image[None, :, :, None]
            given = [max(scale, 0.0) for scale in scales]
            ours = acltwin.upsample_nearest2d(planes, outer, *given, data_format=format)
            assert np.array_equal(ours.reshape(outer), expected)


@TRAINING_SOCS
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_one_scale_alone_does_not_matter(open_door: OpenDoor, soc: str, dtype: np.dtype[Any]) -> None:
    if soc == "Ascend910" and dtype == BFLOAT16:
        pytest.skip("Ascend910 has no bfloat16")
    door, image = open_door(soc=soc), cells(dtype, 3, 6)
    without = upsample(door, image, (70, 90), (0.0, 0.0))
    for scales in ((0.0, 1.4), (2.3, 0.0), (2.3, -1.0)):
        assert np.array_equal(upsample(door, image, (70, 90), scales), without), scales
    assert not np.array_equal(upsample(door, image, (70, 90), (2.3, 1.4)), without)


def test_each_scale_matters_on_ascend950(open_door: OpenDoor) -> None:
    door, image = open_door(soc="Ascend950"), cells(FLOATS[0], 3, 6)
    results = [upsample(door, image, (70, 90), scales) for scales in ((0.0, 0.0), (0.0, 1.4), (2.3, 0.0), (2.3, 1.4))]
    assert len({result.tobytes() for result in results}) == 4


@EVERY_SOC
@pytest.mark.parametrize("dtype", WITHOUT_SCALES, ids=str)
def test_float64_and_uint8_have_no_scales(open_door: OpenDoor, soc: str, dtype: np.dtype[Any]) -> None:
    door, image = open_door(soc=soc), cells(dtype, 3, 6)
    without = upsample(door, image, (70, 90), (0.0, 0.0))
    assert np.array_equal(upsample(door, image, (70, 90), (2.3, 1.4)), without)
    assert np.array_equal(acltwin.upsample_nearest2d(image[None, None], (70, 90), 2.3, 1.4)[0, 0], without)


def test_ascend950_copies_only_where_both_sizes_stay(open_door: OpenDoor) -> None:
    door, image = open_door(soc="Ascend950"), cells(FLOATS[0], 33, 200)
    assert np.array_equal(upsample(door, image, (33, 200), (1.02, 1.3)), image)
    moved = upsample(door, image, (34, 200), (1.02, 1.3))
    assert np.array_equal(moved, image[sources(33, 34, 1.02)][:, sources(200, 200, 1.3)])
    assert not np.array_equal(moved[0], image[0])


# ---- the gradient ----


def bounds(size: int, outer: int, factor: np.float32) -> Array:
    """b(i) = min(ceil(i * factor), outer)."""
    return np.minimum(np.ceil(np.arange(size + 1, dtype=np.float32) * factor), outer).astype(int)


def interval_sums(gradient: Array, size: int, factor: np.float32) -> Array:
    """Row by row, of the columns [b(i), b(i + 1))."""
    return np.stack([gradient[:, a:b].sum(1) for a, b in pairwise(bounds(size, gradient.shape[1], factor))], 1)


def factor_on(soc: str, size: int, outer: int, scale: float) -> np.float32:
    one = np.float32(1)
    if soc != "Ascend950":
        return np.float32(scale) if scale > 0 else np.float32(outer) / np.float32(size)
    step = one / np.float32(scale) if scale > 0 else np.float32(size) / np.float32(outer)
    return one / step


@EVERY_SOC
def test_intervals_of_the_gradient(open_door: OpenDoor, soc: str, rng: np.random.Generator) -> None:
    door = open_door(soc=soc)
    pairs = [(2, 122), (1, 7), (160, 159), *[(int(n), int(o)) for n, o in rng.integers(1, 161, (300, 2))]]
    for size, outer in pairs:
        scale = float(rng.choice([0.0, 0.0, -1.0, outer / size, rng.uniform(0.3, 4)]))
        gradient = rng.integers(-9, 10, (2, outer)).astype(np.float32)
        result = downsample(door, gradient, (2, size), (0.0, scale))
        if soc == "Ascend950" and size == outer:
            assert np.array_equal(result, gradient)
        else:
            expected = interval_sums(gradient, size, factor_on(soc, size, outer, scale))
            assert np.array_equal(result, expected), (size, outer, scale)


def test_the_pairs_of_sizes_that_ascend950_sums_otherwise(open_door: OpenDoor) -> None:
    """772 of the 25,440 pairs up to 160 whose sizes differ, the first of which is 2 and 122."""
    pairs = []
    for size in range(1, 161):
        for outer in range(1, 161):
            tables = [bounds(size, outer, factor_on(soc, size, outer, 0.0)) for soc in ("Ascend910B", "Ascend950")]
            if not np.array_equal(*tables):
                pairs.append((size, outer))
    assert (len(pairs), pairs[0]) == (772, (2, 122))
    door = open_door(soc="Ascend950")
    for size, outer in pairs[::7]:
        gradient = np.ones((1, outer), np.float32)
        expected = interval_sums(gradient, size, factor_on("Ascend950", size, outer, 0.0))
        assert np.array_equal(downsample(door, gradient, (1, size), (0.0, 0.0)), expected), (size, outer)


def test_ascend950_copies_gradients_where_both_sizes_stay(open_door: OpenDoor) -> None:
    door, gradient = open_door(soc="Ascend950"), cells(FLOATS[0], 5, 33)
    assert np.array_equal(downsample(door, gradient, (5, 33), (1.3, 1.02)), gradient)
    rows = downsample(door, gradient, (4, 33), (0.0, 1.02))
    assert rows[1:, -1].tolist() == [0, 0, 0]  # W stays, but its scale matters: the last column gets nothing
    assert not np.array_equal(downsample(open_door(soc="Ascend910B"), gradient, (5, 33), (1.3, 1.02)), gradient)
