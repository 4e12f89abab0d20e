"""Where SoCs differ in which cell they copy, and which empty tensors the device takes."""

from __future__ import annotations

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS
from support.acl_door import Door, OpenDoor, Refusal
from support.values import Array

VOLUMES = [
    name
    for name, spec in OPERATORS.items()
    if spec.scales_together and spec.axes == "DHW" and spec.family == "upsample" and not spec.is_gradient
]


def upsample(door: Door, operator: str, image: Array, size: tuple[int, ...], scales: tuple[float, ...]) -> Array:
    refusal, result = try_upsample(door, operator, image, (*image.shape[:2], *size), size, scales)
    assert refusal is None, refusal
    return result


def try_upsample(
    door: Door,
    operator: str,
    image: Array,
    shape: tuple[int, ...],
    size: tuple[int, ...],
    scales: tuple[float, ...] = (),
) -> tuple[Refusal | None, Array]:
    spec = OPERATORS[operator]
    result = door.place(np.zeros(shape, image.dtype))
    names = [argument.name for argument in spec.arguments if argument.is_scale]
    named = dict(zip(names, scales or (0.0,) * len(names), strict=True))
    refusal = door.run(spec, {"self": door.place(image), "outputSize": size, **named, "out": result})
    return refusal, result.read()


def row(cells: int, axes: int) -> Array:
    return np.arange(cells, dtype=np.float32).reshape(*(1,) * (axes + 1), cells)


@pytest.mark.parametrize("soc", ["Ascend910B", "Ascend910_93"])
def test_exact2d_copies_where_the_size_stays(open_door: OpenDoor, soc: str) -> None:
    """A scale of 1.02 would move cells; the device does not look at it."""
    image = row(33, 2)
    result = upsample(open_door(soc=soc), "upsample_nearest_exact2d", image, (1, 33), (1.0, 1.02))
    assert np.array_equal(result, image)
    assert np.array_equal(acltwin.upsample_nearest_exact2d(image, (1, 33), 1.0, 1.02), image)


def test_exact2d_heeds_the_scale_on_ascend950(open_door: OpenDoor) -> None:
    image = row(33, 2)
    door = open_door(soc="Ascend950", profile="device")
    result = upsample(door, "upsample_nearest_exact2d", image, (1, 33), (1.0, 1.02)).ravel()
    step = np.float32(1 / 1.02)
    expected = np.minimum(np.floor((np.arange(33, dtype=np.float32) + np.float32(0.5)) * step), 32)
    assert np.array_equal(result, expected)
    assert not np.array_equal(result, image.ravel())


@pytest.mark.parametrize("operator", VOLUMES)
def test_3d_scales_count_together_except_on_ascend950(open_door: OpenDoor, operator: str) -> None:
    image, size, scales = row(8, 3), (1, 1, 8), (0.0, 0.0, 2.0)
    door = open_door(soc="Ascend910B", profile="device")
    assert np.array_equal(upsample(door, operator, image, size, scales), image)
    door = open_door(soc="Ascend950", profile="device")
    assert upsample(door, operator, image, size, scales).ravel().tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_ascend950_divides_in_float32(open_door: OpenDoor) -> None:
    """1.0f / float32(scale) and float32(1.0 / scale) are neighbours for some scales, and then some cells differ."""
    rng = np.random.default_rng(4)
    for scale in map(float, rng.uniform(1, 4, 2000)):
        in_float, in_double = np.float32(1) / np.float32(scale), np.float32(1.0 / scale)
        cells = np.arange(4096, dtype=np.float32)
        expected = np.minimum(np.floor(cells * in_float), 2047)
        if not np.array_equal(expected, np.minimum(np.floor(cells * in_double), 2047)):
            break
    else:
        pytest.fail("no scale tells the two roundings apart")
    door = open_door(soc="Ascend950", profile="device")
    image = row(2048, 3)
    result = upsample(door, "upsample_nearest3d", image, (1, 1, 4096), (1.0, 1.0, scale))
    assert np.array_equal(result.ravel(), expected)


@pytest.mark.parametrize("operator", VOLUMES)
def test_3d_upsampling_without_channels_is_refused(door: Door, operator: str) -> None:
    image = np.zeros((1, 0, 2, 2, 2), np.float32)
    refusal, _ = try_upsample(door, operator, image, (1, 0, 4, 4, 4), (4, 4, 4))
    assert refusal is not None
    assert refusal.code == 161002
    assert "self_channels" in refusal.message
    batchless = np.zeros((0, 2, 2, 2, 2), np.float32)
    assert try_upsample(door, operator, batchless, (0, 2, 4, 4, 4), (4, 4, 4))[0] is None


def test_exact2d_with_an_empty_tensor_succeeds_before_every_other_check(door: Door) -> None:
    image = np.zeros((1, 2, 3, 3), np.float32)
    assert try_upsample(door, "upsample_nearest_exact2d", image, (1, 2, 6, 0), (6, 0))[0] is None
    nothing = np.zeros((1, 0, 3, 3), np.float32)
    assert try_upsample(door, "upsample_nearest_exact2d", nothing, (1, 2, 6, 6), (7, 5))[0] is None


@pytest.mark.parametrize(("scale", "sizes"), [(10 / 3 - 1e-6, {9, 10}), (10 / 3 + 1e-6, {9, 10}), (3.4, {10})])
def test_sizes_that_a_scale_gives_except_for_rounding_are_taken(
    open_door: OpenDoor, scale: float, sizes: set[int]
) -> None:
    """Three cells times the scale, with 1e-5 more or less of it, rounded down."""
    (operator,) = (
        name
        for name, spec in OPERATORS.items()
        if not spec.is_gradient and "output_size_scale" in {rule.id for rule in spec.rules}
    )
    door, image = open_door(profile="documented"), row(3, len(OPERATORS[operator].axes))
    before = image.shape[:-1]
    scales = (*(1.0 for _ in before[2:]), scale)
    taken = {
        size
        for size in range(8, 13)
        if try_upsample(door, operator, image, (*before, size), (*before[2:], size), scales)[0] is None
    }
    assert taken == sizes
