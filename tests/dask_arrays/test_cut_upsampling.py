"""Upsampling by whole factors works on planes that are cut, chunk by chunk; everything else needs them whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import PLANEWISE as OPERATORS
from acltwin.ops import OpSpec
from support.lazy import acltwin_dask, da
from support.values import BFLOAT16, Array, assert_same_bits, random_array

UPSAMPLINGS = [spec for spec in OPERATORS.values() if spec.family == "upsample"]
EVERY_UPSAMPLING = pytest.mark.parametrize("spec", UPSAMPLINGS, ids=lambda spec: spec.name)
SMALL = (4, 6, 5)  # D, H, W before upsampling
FACTORS = (2, 3, 1)
CUTS = ((2, 2), (1, 2, 3), (4, 1))  # chunks before upsampling


def layout(spec: OpSpec, data_format: str, n: int, c: int, plane: tuple[Any, ...]) -> tuple[Any, ...]:
    return (n, *plane, c) if data_format.endswith("C") else (n, c, *plane)


def call(spec: OpSpec, dtype: np.dtype[Any], data_format: str) -> tuple[Array, tuple[Any, ...], tuple[Any, ...]]:
    """The tensor of a call by whole factors, its sizes, and the chunks of the tensor."""
    axes = len(spec.axes)
    small, factors, cuts = SMALL[-axes:], FACTORS[-axes:], CUTS[-axes:]
    large = tuple(size * factor for size, factor in zip(small, factors, strict=True))
    tensor_plane = large if spec.is_gradient else small
    tensor = random_array(np.random.default_rng(5), layout(spec, data_format, 3, 2, tensor_plane), dtype)
    sizes = (large, (3, 2, *small)) if spec.is_gradient else (large,)
    scaled = tuple(
        tuple(size * (factor if spec.is_gradient else 1) for size in cut)
        for cut, factor in zip(cuts, factors, strict=True)
    )
    return tensor, sizes, layout(spec, data_format, 2, 1, scaled)


def keywords_of(spec: OpSpec, data_format: str) -> dict[str, Any]:
    return {"data_format": data_format} if len(spec.data_formats) > 1 else {}


@EVERY_UPSAMPLING
@pytest.mark.parametrize("dtype", [np.dtype(np.float32), np.dtype(np.float16), BFLOAT16], ids=str)
def test_whole_factors_are_computed_chunk_by_chunk_with_the_same_bits(spec: OpSpec, dtype: np.dtype[Any]) -> None:
    for data_format in spec.data_formats or (f"NC{spec.axes}",):
        tensor, sizes, chunks = call(spec, dtype, data_format)
        keywords = keywords_of(spec, data_format)
        lazy = getattr(acltwin_dask, spec.name)(da.from_array(tensor, chunks), *sizes, **keywords)
        expected = getattr(acltwin, spec.name)(tensor, *sizes, **keywords)
        assert (lazy.shape, lazy.dtype) == (expected.shape, expected.dtype)
        assert lazy.npartitions == da.from_array(tensor, chunks).npartitions, "no chunk was put together"
        assert_same_bits(lazy.compute(scheduler="threads"), expected)


@EVERY_UPSAMPLING
@pytest.mark.parametrize("rule", ["device", "torch"])
def test_given_scales_and_either_rule_give_the_same_bits(spec: OpSpec, rule: str) -> None:
    tensor, sizes, chunks = call(spec, np.dtype(np.float32), f"NC{spec.axes}")
    scales = [float(factor) for factor in FACTORS[-len(spec.axes) :]]
    for given in (scales, [*scales[:-1], None], [None, *scales[1:]]):
        lazy = getattr(acltwin_dask, spec.name)(da.from_array(tensor, chunks), *sizes, *given, rule=rule)
        assert_same_bits(lazy.compute(scheduler="sync"), getattr(acltwin, spec.name)(tensor, *sizes, *given, rule=rule))


@EVERY_UPSAMPLING
def test_a_scale_that_is_not_the_factor_needs_whole_volumes(spec: OpSpec) -> None:
    tensor, sizes, chunks = call(spec, np.dtype(np.float32), f"NC{spec.axes}")
    scales = [factor * 1.001 for factor in FACTORS[-len(spec.axes) :]]
    with pytest.raises(ValueError, match="expected whole "):
        getattr(acltwin_dask, spec.name)(da.from_array(tensor, chunks), *sizes, *scales, rule="torch")


@EVERY_UPSAMPLING
def test_an_axis_that_is_not_cut_may_have_any_factor(spec: OpSpec) -> None:
    tensor, (large, *rest), chunks = call(spec, np.dtype(np.float32), f"NC{spec.axes}")
    last = tensor.shape[-1] + 2
    tensor = random_array(np.random.default_rng(6), (*tensor.shape[:-1], last), tensor.dtype)
    sizes = ((*large[:-1], last if spec.is_gradient else large[-1] + 1), *rest)
    cut = da.from_array(tensor, (*chunks[:-1], -1))
    lazy = getattr(acltwin_dask, spec.name)(cut, *sizes)
    assert lazy.numblocks == cut.numblocks
    assert_same_bits(lazy.compute(scheduler="sync"), getattr(acltwin, spec.name)(tensor, *sizes))


@EVERY_UPSAMPLING
def test_fractional_factors_need_whole_volumes(spec: OpSpec) -> None:
    tensor, (large, *rest), chunks = call(spec, np.dtype(np.float32), f"NC{spec.axes}")
    if spec.is_gradient:
        (n, c, *small) = rest[0]
        sizes: tuple[Any, ...] = (large, (n, c, *(size - 1 for size in small)))
    else:
        sizes = (tuple(size + 1 for size in large),)
    with pytest.raises(ValueError, match="expected whole "):
        getattr(acltwin_dask, spec.name)(da.from_array(tensor, chunks), *sizes)


@pytest.mark.parametrize("chunks", [(3, 5), (2, 2, 4, 0), (1,) * 8])
def test_gradients_need_chunks_that_are_multiples_of_the_factor(chunks: tuple[int, ...]) -> None:
    grad_out = da.ones((1, 1, 1, 1, 8), dtype=np.float32, chunks=(1, 1, 1, 1, chunks))
    with pytest.raises(ValueError, match="expected whole "):
        acltwin_dask.upsample_nearest3d_backward(grad_out, (1, 1, 8), (1, 1, 1, 1, 4))


def test_where_rounding_leaves_the_even_pattern_planes_stay_whole() -> None:
    """By 41, the device's float32 arithmetic takes cell 0 for output cell 41: a chunk on its own would not know."""
    row = np.arange(64, dtype=np.float32).reshape(1, 1, 1, 1, 64)
    whole = acltwin.upsample_nearest3d(row, (1, 1, 64 * 41))
    assert not np.array_equal(whole.ravel(), np.repeat(row.ravel(), 41))
    with pytest.raises(ValueError, match="expected whole "):
        acltwin_dask.upsample_nearest3d(da.from_array(row, (1, 1, 1, 1, 32)), (1, 1, 64 * 41))


def test_a_volume_larger_than_any_machine_in_any_dimension() -> None:
    """Slabs along D of planes that nobody could hold."""
    grad_out = da.zeros((1, 1, 2**14, 2**14, 2**14), dtype=np.float16, chunks=(1, 1, 256, 256, 256))
    lazy = acltwin_dask.upsample_nearest_exact3d_backward(grad_out, (2**14,) * 3, (1, 1, 2**13, 2**13, 2**13))
    assert lazy.chunksize == (1, 1, 128, 128, 128)
    assert lazy.blocks[0, 0, 5, 7, 9].compute(scheduler="sync").shape == (1, 1, 128, 128, 128)
