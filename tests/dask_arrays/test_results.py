"""Chunks along N and C change nothing: the bits are those of one call on the whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import _core
from support import registry
from support.cases import Case
from support.chunked import FUNCTIONS, case_of, cut, on_dask, results, unusual_cases
from support.lazy import da, dask
from support.registry import PLANEWISE_GRADIENTS as BACKWARD
from support.values import Array, assert_same_bits

EVERY_FUNCTION = pytest.mark.parametrize("operator", FUNCTIONS)
UNUSUAL = unusual_cases()


def assert_same_result(case: Case, *sizes: int, **keywords: Any) -> None:
    lazy = results(on_dask(cut(case, *sizes), **keywords))
    computed = dask.compute(*lazy, scheduler="threads")
    for promise, actual, expected in zip(lazy, computed, results(case.run()), strict=True):
        assert (promise.shape, promise.dtype) == (expected.shape, expected.dtype)
        assert type(promise._meta) is np.ndarray
        assert (promise._meta.ndim, promise._meta.dtype) == (expected.ndim, expected.dtype)
        assert_same_bits(actual, expected)


@EVERY_FUNCTION
@pytest.mark.parametrize("sizes", [(1,), (3,), (100,), (2, 3, 1)])
def test_any_chunks_give_the_same_bits(operator: str, sizes: tuple[int, ...]) -> None:
    assert_same_result(case_of(operator), *sizes)


@EVERY_FUNCTION
def test_every_dtype_gives_the_same_bits(operator: str) -> None:
    for dtype in registry.dtypes_of(operator):
        assert_same_result(case_of(operator, dtype), 2)


@pytest.mark.parametrize("name", UNUSUAL)
def test_other_layouts_and_options_give_the_same_bits(name: str) -> None:
    assert_same_result(UNUSUAL[name], 2, 3)


@EVERY_FUNCTION
def test_an_empty_batch_gives_an_empty_result(operator: str) -> None:
    assert_same_result(case_of(operator, batch=(0, 4)), 2)


@pytest.mark.parametrize("operator", BACKWARD)
def test_chunks_follow_the_first_tensor_and_whole_planes(operator: str) -> None:
    case = cut(case_of(operator), 2)
    result = on_dask(case)
    assert result.chunks[:2] == ((2, 2, 1), (2, 2))
    assert all(len(sizes) == 1 for sizes in result.chunks[2:])


def test_pooling_calls_once_per_chunk_for_both_results(monkeypatch: pytest.MonkeyPatch) -> None:
    lazy = on_dask(cut(case_of("max_pool3d_with_argmax"), 2))
    run_chunk, shapes = _core.run_inferred, []

    def counted(operator: str, chunk: Array, *arguments: Any) -> Any:
        shapes.append(chunk.shape[:2])
        return run_chunk(operator, chunk, *arguments)

    monkeypatch.setattr(_core, "run_inferred", counted)
    targets = [np.empty(array.shape, array.dtype) for array in lazy]
    for compute in (lambda: dask.compute(*lazy), lambda: da.store(list(lazy), targets, lock=False)):
        shapes.clear()
        with dask.config.set(scheduler="threads"):
            compute()
        assert sorted(shapes) == [(1, 2), (1, 2), (2, 2), (2, 2), (2, 2), (2, 2)]
