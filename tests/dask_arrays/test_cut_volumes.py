"""Max pooling of volumes that are cut anywhere gives the bits of one call on the whole arrays, with global indices."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import PLANEWISE as OPERATORS
from support import registry
from support.lazy import acltwin_dask, da, dask
from support.messages import explains
from support.thorough import THOROUGH
from support.values import Array, assert_same_bits, random_array

POOLS = [name for name in registry.names(is_gradient=False, family="pool") if OPERATORS[name].makes_indices]
CALLS = 400 if THOROUGH else 20


def pieces(rng: np.random.Generator, size: int) -> tuple[int, ...]:
    """Chunks along one axis: random ones, one of them perhaps empty, or none."""
    borders = np.sort(rng.integers(0, size + 1, rng.integers(0, 3)))
    return tuple(int(n) for n in np.diff([0, *borders, size]))


def axis(rng: np.random.Generator) -> tuple[int, ...]:
    """Size, kernel, stride, padding and dilation that fit."""
    kernel = int(rng.integers(1, 5))
    dilation = int(rng.integers(1, 4))
    span = (kernel - 1) * dilation + 1
    size = span + int(rng.integers(0, 12))
    return size, kernel, int(rng.integers(1, kernel + 3)), int(rng.integers(0, kernel // 2 + 1)), dilation


def same(lazy: Any, expected: Array) -> None:
    assert (lazy.shape, lazy.dtype) == (expected.shape, expected.dtype)
    assert_same_bits(lazy.compute(scheduler="sync"), expected)


@pytest.mark.filterwarnings("ignore:Increasing number of chunks")  # Dask's: the gradient's tensors are cut differently
@pytest.mark.parametrize("operator", POOLS)
def test_random_calls_give_the_same_bits(operator: str) -> None:
    """Windows that overlap, touch or leave gaps, with padding and dilation, over random chunks; also the gradient."""
    spec = OPERATORS[operator]
    dtypes = registry.dtypes_of(operator)
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    for _ in range(CALLS):
        size, *window = zip(*(axis(rng) for _ in spec.axes), strict=True)
        last = bool(rng.integers(2))
        shape = (2, *size, 3) if last else (2, 3, *size)[int(rng.integers(2)) :]
        keywords = {"data_format": spec.array_formats[last]}
        dtype = dtypes[int(rng.integers(len(dtypes)))]
        cells = random_array(rng, shape, dtype)
        if rng.integers(2):
            cells = np.round(cells.astype(np.float32)).astype(dtype)  # many equal maxima
        arguments = (*window, bool(rng.integers(2)))
        index_dtype = ("int32", "int64")[int(rng.integers(2))]
        whole = getattr(acltwin, operator)(cells, *arguments, index_dtype=index_dtype, **keywords)
        volume = da.from_array(cells, tuple(pieces(rng, n) for n in shape))
        cut = getattr(acltwin_dask, operator)(volume, *arguments, index_dtype=index_dtype, **keywords)
        for lazy, expected in zip(cut, whole, strict=True):
            same(lazy, expected)
        gradient = random_array(rng, whole[0].shape, dtype)
        back = getattr(acltwin, spec.partner)(gradient, cells, whole[1], *arguments, **keywords)
        chunks = tuple(pieces(rng, n) for n in gradient.shape)
        others = chunks if rng.integers(2) else tuple(pieces(rng, n) for n in gradient.shape)
        tensors = da.from_array(gradient, chunks), volume, da.from_array(whole[1], others)
        same(getattr(acltwin_dask, spec.partner)(*tensors, *arguments, **keywords), back)


@pytest.mark.parametrize("operator", registry.names(is_gradient=False, family="plain_pool"))
@pytest.mark.parametrize("strides", [(), 2, 3])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_windows_with_pads_of_their_own_on_each_side(operator: str, strides: Any, ceil_mode: bool) -> None:
    rng = np.random.default_rng(3)
    cells = random_array(rng, (2, 3, 11, 13), np.dtype(np.float32))
    for pads in ((), 1, (1, 0), (1, 0, 0, 2), (0, 3, 2, 0), (0, 0, 2, 3), (2, 3, 0, 0)):
        whole = getattr(acltwin, operator)(cells, (2, 3), strides, pads, (), ceil_mode)
        volume = da.from_array(cells, tuple(pieces(rng, n) for n in cells.shape))
        same(getattr(acltwin_dask, operator)(volume, (2, 3), strides, pads, (), ceil_mode), whole)


AVERAGES = [spec for spec in OPERATORS.values() if spec.family == "average" and not spec.is_gradient]


@pytest.mark.filterwarnings("ignore:Increasing number of chunks")
@pytest.mark.parametrize("operator", [spec.name for spec in AVERAGES if "adaptive" not in spec.name])
def test_averages_of_cut_volumes_have_the_same_bits(operator: str) -> None:
    """Whatever is counted as part of a window, at the borders of the volume and at those of chunks."""
    spec = OPERATORS[operator]
    dtypes = registry.dtypes_of(operator)
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    for _ in range(CALLS):
        size, *window, _ = zip(*(axis(rng) for _ in spec.axes), strict=True)
        last = bool(rng.integers(2))
        shape = (2, *size, 3) if last else (2, 3, *size)[int(rng.integers(2)) :]
        keywords = {"data_format": spec.array_formats[last]}
        cells = random_array(rng, shape, dtypes[int(rng.integers(len(dtypes)))])
        arguments = (*window, bool(rng.integers(2)), bool(rng.integers(2)), (None, 3, -2)[int(rng.integers(3))])
        whole = getattr(acltwin, operator)(cells, *arguments, **keywords)
        volume = da.from_array(cells, tuple(pieces(rng, n) for n in shape))
        same(getattr(acltwin_dask, operator)(volume, *arguments, **keywords), whole)
        gradient = random_array(rng, whole.shape, cells.dtype)
        tensors = da.from_array(gradient, tuple(pieces(rng, n) for n in gradient.shape)), volume
        back = getattr(acltwin, spec.partner)(gradient, cells, *arguments, **keywords)
        same(getattr(acltwin_dask, spec.partner)(*tensors, *arguments, **keywords), back)


@pytest.mark.parametrize("operator", [spec.name for spec in AVERAGES if "adaptive" in spec.name])
def test_windows_that_adapt_need_whole_volumes(operator: str) -> None:
    volume = da.ones((1, 1, *[4] * len(OPERATORS[operator].axes)), chunks=2)
    with explains(ValueError, operator, "whole", "rechunk"):
        getattr(acltwin_dask, operator)(volume, 2)
    with pytest.warns(da.PerformanceWarning):
        averages = getattr(acltwin_dask, operator)(volume, 2, spatial_chunks="rechunk")
    assert float(averages.sum().compute()) == averages.size


def test_chunks_that_windows_do_not_cross_are_computed_by_themselves() -> None:
    """Kernel and stride of 2 on even chunks: no task needs a second chunk, and results have their halves."""
    volume = da.zeros((1, 1, 2**14, 2**14, 2**14), dtype=np.float16, chunks=(1, 1, 256, 256, 512))
    values, indices = acltwin_dask.max_pool3d_with_argmax(volume, 2, index_dtype="int64")
    assert values.chunksize == indices.chunksize == (1, 1, 128, 128, 256)
    block = indices.blocks[0, 0, 3, 5, 7]
    (optimized,) = dask.optimize(block)
    assert len(optimized.dask) <= 4, "one chunk, one call, one result"
    first = (3 * 256 * 2**14 + 5 * 256) * 2**14 + 7 * 512
    assert int(block[0, 0, 0, 0, 0].compute(scheduler="sync")) == first
    back = acltwin_dask.max_pool3d_with_argmax_backward(values, volume, indices, 2)
    assert back.chunks == volume.chunks


def test_windows_of_same_size_keep_the_chunks() -> None:
    image = da.zeros((1, 1, 100, 60), dtype=np.float32, chunks=(1, 1, 30, 25))
    values, indices = acltwin_dask.max_pool2d_with_indices(image, 3, 1, 1)
    assert values.chunks == image.chunks
    assert acltwin_dask.max_pool2d_with_indices_backward(values, image, indices, 3, 1, 1).chunks == image.chunks


def test_every_scheduler_and_the_settings_of_a_list(rng: np.random.Generator) -> None:
    cells = random_array(rng, (2, 2, 9, 12, 7), np.dtype(np.float32))
    expected = acltwin.max_pool3d_with_argmax(cells, 3, 2, 1)
    kernel = [3]
    lazy = acltwin_dask.max_pool3d_with_argmax(da.from_array(cells, (1, 2, 4, 5, 7)), kernel, [2], 1)
    kernel[0] = 1
    for scheduler in ("threads", "processes"):
        for actual, right in zip(dask.compute(*lazy, scheduler=scheduler), expected, strict=True):
            assert_same_bits(actual, right)


def gradient_of(cells: Array, indices: Array) -> Any:
    chunks = (1, 1, 2, 2, 2)
    tensors = (da.from_array(array, chunks) for array in (np.ones_like(cells[..., ::2, ::2, ::2]), cells, indices))
    return acltwin_dask.max_pool3d_with_argmax_backward(*tensors, 2)


@pytest.mark.parametrize("bad", [-1, 512, 2**31 - 1])
def test_an_index_outside_the_volume_is_named_with_the_same_words(bad: int, rng: np.random.Generator) -> None:
    cells = random_array(rng, (2, 1, 8, 8, 8), np.dtype(np.float32))
    maxima, indices = acltwin.max_pool3d_with_argmax(cells, 2)
    indices[1, 0, 3, 2, 1] = bad
    with pytest.raises(IndexError) as expected:
        acltwin.max_pool3d_with_argmax_backward(np.ones_like(maxima), cells, indices, 2)
    with pytest.raises(IndexError) as actual:
        gradient_of(cells, indices).compute(scheduler="sync")
    assert str(actual.value) == str(expected.value)


def test_an_index_outside_its_window_is_named_instead_of_lost(rng: np.random.Generator) -> None:
    cells = random_array(rng, (2, 1, 8, 8, 8), np.dtype(np.float32))
    indices = acltwin.max_pool3d_with_argmax(cells, 2)[1]
    indices[1, 0, 3, 2, 1] = 0
    name = "max_pool3d_with_argmax_backward"
    with explains(IndexError, name, "indices[1, 0, 3, 2, 1] is 0", "expected a cell of its window", "whole volumes"):
        gradient_of(cells, indices).compute(scheduler="sync")
