"""The C interfaces that resize images by sizes, against PyTorch and the array functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import INTERFACES
from support.acl_door import Door
from support.lazy import torch
from support.values import Array, assert_same_bits, random_array

SEED, CALLS = 20261118, 60
RESIZE, NEAREST = INTERFACES["resize"], INTERFACES["upsample_nearest2d_v1"]


def random_sizes(rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of an image and of the resized one."""
    inner, outer = (tuple(map(int, rng.integers(1, 40, 2))) for _ in range(2))
    return inner, inner if rng.random() < 0.1 else outer


def through_c(door: Door, spec: Any, image: Array, size: tuple[int, ...], last: bool, *others: Any) -> Array:
    order = spec.data_formats[last]
    turn = [0, 2, 3, 1] if last else [0, 1, 2, 3]
    source = np.ascontiguousarray(image.transpose(turn))
    result = door.place(np.zeros((*image.shape[:2], *size), image.dtype).transpose(turn), order)
    names = [argument.name for argument in spec.arguments]
    refusal = door.run(spec, dict(zip(names, (door.place(source, order), *others, result), strict=True)))
    assert refusal is None, refusal
    return result.read().transpose(np.argsort(turn))


def interpolated(image: Array, size: tuple[int, ...], mode: str) -> Array:
    return np.asarray(torch.nn.functional.interpolate(torch.from_numpy(image), size, mode=mode))


@pytest.mark.parametrize("last", [False, True])
def test_resize_is_what_pytorch_computes_from_the_sizes(open_door: Any, last: bool) -> None:
    door, rng = open_door(soc="Ascend950"), np.random.default_rng(SEED)
    for number in range(CALLS):
        inner, outer = random_sizes(rng)
        image = random_array(rng, (2, 3, *inner), np.dtype(np.float32))
        factors = tuple(o / i for i, o in zip(inner, outer, strict=True))
        scales = (1.0, *factors, 1.0) if last else (1.0, 1.0, *factors)
        for mode, known in ((b"nearest", "nearest"), (b"bilinear", "bilinear"), (b"nearest-exact", "nearest")):
            result = through_c(door, RESIZE, image, outer, last, scales, mode)
            what = f"seed {SEED}, call {number}: {inner} to {outer}, {mode!r}"
            ours = getattr(acltwin, f"upsample_{known}2d")(image, outer)
            assert_same_bits(np.ascontiguousarray(result), ours, what)
            np.testing.assert_allclose(result, interpolated(image, outer, known), rtol=1e-4, atol=1e-4, err_msg=what)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "uint8"])
@pytest.mark.parametrize("last", [False, True])
def test_the_old_nearest_is_what_pytorch_computes_from_the_sizes(door: Door, last: bool, dtype: str) -> None:
    rng = np.random.default_rng(SEED)
    for number in range(CALLS // 2):
        inner, outer = random_sizes(rng)
        image = random_array(rng, (2, 3, *inner), np.dtype(dtype))
        result = through_c(door, NEAREST, image, outer, last, outer)
        expected = interpolated(image, outer, "nearest")
        assert_same_bits(np.ascontiguousarray(result), expected, f"seed {SEED}, call {number}: {inner} to {outer}")


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), -2.0, 2.6, 1.9])
def test_a_scale_that_fits_no_size_is_refused(door: Door, scale: float) -> None:
    refusal = door.run(RESIZE, {**RESIZE.valid.arguments, "scales": (1.0, 1.0, 2.0, scale)})
    assert refusal is not None
    assert refusal.code == 161002
    assert refusal.message.endswith("rule out_size]")


@pytest.mark.parametrize("scale", [2.0, 2.000001, 2.2])
def test_sizes_are_rounded_down(door: Door, scale: float) -> None:
    """2 cells become 4: a tenth more than twice as many would be 4.4."""
    assert door.run(RESIZE, {**RESIZE.valid.arguments, "scales": (9.0, -1.0, 2.0, scale)}) is None
