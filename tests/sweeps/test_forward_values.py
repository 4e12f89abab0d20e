"""Max pooling and unpooling over many geometries, against PyTorch and the references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acltwin import reference
from support.cases import Case, name_of, random_window
from support.forward import AXES, DTYPES, OPERATORS, POOL, UNPOOL, UPSAMPLE, pool, results, small_case, unpool
from support.layouts import STRIDED, contiguous
from support.lazy import torch
from support.libraries import to_numpy, to_torch
from support.thorough import THOROUGH
from support.values import assert_same_bits, random_array, random_bits, random_specials, with_one_nan


@pytest.mark.parametrize("dtype", DTYPES[POOL], ids=name_of)
@pytest.mark.parametrize("values", [random_array, random_specials])
def test_pooling_is_pytorchs(dtype: np.dtype[Any], values: Any, rng: np.random.Generator) -> None:
    for number in range(300 if THOROUGH else 120):
        window, plane = random_window(rng)
        batch = tuple(int(n) for n in rng.integers(1, 4, int(rng.integers(1, 3))))
        if number % 4 == 0:
            batch = (1, 20)  # enough channels to be walked side by side
        case = pool(rng, dtype, plane, window, batch, values, index_dtype=("int32", "int64")[number % 2])
        layout = (contiguous, *STRIDED)[number % (1 + len(STRIDED))]
        maxima, indices = results(case.mapped(layout))
        image = to_torch(case.tensors[0])
        theirs, places = torch.nn.functional.max_pool3d(image, *window.parameters, return_indices=True)
        assert_same_bits(with_one_nan(maxima), with_one_nan(to_numpy(theirs)), window)
        assert np.array_equal(indices, places.numpy()), window


@pytest.mark.parametrize("index_dtype", [np.int64, np.int32])
@pytest.mark.parametrize("dtype", DTYPES[UNPOOL], ids=name_of)
def test_unpooling_moves_all_bits(dtype: np.dtype[Any], index_dtype: type, rng: np.random.Generator) -> None:
    for number in range(100):
        outer = tuple(int(n) for n in rng.integers(1, 12, 3))
        inner = tuple(int(rng.integers(1, n, endpoint=True)) for n in outer)
        batch = tuple(int(n) for n in rng.integers(1, 5, int(rng.integers(1, 3))))
        case = unpool(rng, dtype, inner, outer, batch, index_dtype, random_bits, repeated=number % 2 == 0)
        patterns = case.tensors[0].view(f"u{dtype.itemsize}")
        expected = reference.max_unpool3d(patterns, case.tensors[1], *case.parameters).view(dtype)
        layout = (contiguous, *STRIDED)[number % (1 + len(STRIDED))]
        assert_same_bits(case.mapped(layout).run(), expected, case.parameters)


@pytest.mark.parametrize("dtype", DTYPES[UNPOOL], ids=name_of)
def test_unpooling_large_planes(dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    """Large enough for every way of scattering, with threads."""
    for inner, outer in (((8, 32, 32), (16, 64, 64)), ((16, 64, 96), (16, 64, 96)), ((1, 2, 2), (32, 64, 64))):
        case = unpool(rng, dtype, inner, outer, (2, 4), values=random_bits)
        flat = np.zeros((8, int(np.prod(outer))), f"u{dtype.itemsize}")
        np.put_along_axis(flat, case.tensors[1].reshape(8, -1), case.tensors[0].view(flat.dtype).reshape(8, -1), axis=1)
        assert_same_bits(case.run(), flat.view(dtype).reshape(2, 4, *outer))


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_every_wrong_index_is_named_and_nothing_else_is_written(index_dtype: type, rng: np.random.Generator) -> None:
    for inner, outer in (((2, 3, 5), (4, 6, 9)), ((8, 64, 60), (8, 64, 64))):
        case = unpool(rng, np.dtype(np.float32), inner, outer, index_dtype=index_dtype)
        cells = int(np.prod(outer))
        memory = np.full(2 * 3 * cells + 2048, 77, np.float32)
        out = memory[1024:-1024].reshape(2, 3, *outer)
        for value in (-1, cells, -cells, np.iinfo(index_dtype).min, np.iinfo(index_dtype).max):
            place = tuple(int(rng.integers(n)) for n in case.tensors[1].shape)
            indices = case.tensors[1].copy()
            indices[place] = value
            named = rf"max_unpool3d: indices\[{', '.join(map(str, place))}\] is {value}, .*0 <= index < {cells}"
            with pytest.raises(IndexError, match=named):
                case.with_tensor(1, indices).run(out=out)
            assert (memory[:1024] == 77).all()
            assert (memory[-1024:] == 77).all()


# ---- any shapes and strides ----

SMALL = st.integers(1, 9)


@st.composite
def views(draw: st.DrawFn, rank: int) -> tuple[tuple[int, ...], tuple[slice, ...], tuple[int, ...]]:
    """A shape of memory, a slice with steps of any sign, and an order of axes: together a view with odd strides."""
    shape = tuple(draw(SMALL) for _ in range(rank))
    slices = tuple(slice(None, None, draw(st.sampled_from([1, -1, 2, -2]))) for _ in range(rank))
    return shape, slices, tuple(draw(st.permutations(range(rank))))


def view_of(values: np.ndarray[Any, Any], view: tuple[Any, Any, Any]) -> np.ndarray[Any, Any]:
    shape, slices, order = view
    memory = np.resize(values, shape)
    return memory[slices].transpose(order)


@given(st.data())
def test_upsamplings_of_any_view(data: st.DataObject) -> None:
    operator = data.draw(st.sampled_from(UPSAMPLE))
    rank = 2 + AXES[operator]
    image = view_of(np.arange(100, dtype=np.float32), data.draw(views(rank)))
    size = tuple(data.draw(st.integers(1, 30)) for _ in range(rank - 2))
    rule = data.draw(st.sampled_from(["device", "torch"]))
    scales = [data.draw(st.sampled_from([0.0, 0.5, 1.5, 2.0, 3.7])) for _ in size]
    case = Case(operator, (image,), (size, *scales), {"rule": rule})
    expected = getattr(reference, operator)(image, size, *scales, rule=rule)
    assert np.array_equal(case.run(), expected)


@given(st.data())
def test_pooling_of_any_view(data: st.DataObject) -> None:
    image = view_of(np.random.default_rng(3).standard_normal(97).astype(np.float32), data.draw(views(5)))
    kernel = tuple(data.draw(st.integers(1, n)) for n in image.shape[2:])
    stride = tuple(data.draw(st.integers(1, 4)) for _ in range(3))
    padding = tuple(data.draw(st.integers(0, k // 2)) for k in kernel)
    window = (kernel, stride, padding, 1, data.draw(st.booleans()))
    maxima, indices = results(Case(POOL, (image,), window))
    exact, places = reference.max_pool3d_with_argmax(image, *window)
    assert np.array_equal(maxima, exact)
    assert np.array_equal(indices, places)


@given(st.data())
def test_unpooling_of_any_view(data: st.DataObject) -> None:
    pooled = view_of(np.arange(1, 90, dtype=np.int32), data.draw(views(5)))
    size = tuple(n + data.draw(st.integers(0, 3)) for n in pooled.shape[2:])
    indices = np.random.default_rng(4).integers(0, int(np.prod(size)), pooled.shape)
    indices = np.asfortranarray(indices) if data.draw(st.booleans()) else indices
    case = Case(UNPOOL, (pooled, indices), (size, 2, 0))
    assert np.array_equal(case.run(), reference.max_unpool3d(pooled, indices, size, 2, 0))


SIZES = st.one_of(st.integers(-2, 9), st.integers(2**50, 2**62), st.integers(-(2**63), -(2**40)), st.just(2**63 - 1))


@given(st.sampled_from(OPERATORS), st.data())
def test_any_sizes_are_refused_or_fit(operator: str, data: st.DataObject) -> None:
    case = small_case(operator)
    parameters = list(case.parameters)
    for position in range(len(parameters)):
        if data.draw(st.booleans()):
            parameters[position] = data.draw(st.one_of(st.lists(SIZES, max_size=6), st.none(), SIZES))
    try:
        found = results(Case(operator, case.tensors, tuple(parameters)))
    except (ValueError, TypeError, IndexError, MemoryError):
        return
    assert all(array.shape[:2] == case.tensors[0].shape[:2] for array in found)
