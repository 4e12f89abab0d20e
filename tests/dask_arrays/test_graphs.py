"""The graph: made without computing, carried by value, the same for the same call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from support.cases import POOL, UNPOOL
from support.chunked import FUNCTIONS, case_of, cut, on_dask, results
from support.lazy import acltwin_dask, da, dask
from support.processes import output_of
from support.values import Array, assert_same_bits

EVERY_FUNCTION = pytest.mark.parametrize("operator", FUNCTIONS)


def untouchable(array: da.Array) -> da.Array:
    """Like the array, until a chunk of it is computed."""

    def touched(chunk: Array) -> Array:
        raise AssertionError("a chunk was computed")

    result: da.Array = da.map_blocks(touched, array, meta=array._meta)
    return result


@EVERY_FUNCTION
def test_making_a_graph_computes_nothing(operator: str) -> None:
    on_dask(cut(case_of(operator), 2).mapped(untouchable))


@pytest.mark.parametrize("operator", [UNPOOL, POOL])
def test_the_unread_input_is_never_computed(operator: str) -> None:
    case = case_of(operator)
    lazy = cut(case, 2)
    result = on_dask(lazy.with_tensor(1, untouchable(lazy.tensors[1])))
    assert_same_bits(result.compute(scheduler="sync"), case.run())


@EVERY_FUNCTION
def test_equal_calls_have_equal_keys(operator: str) -> None:
    first, second, other = (results(on_dask(cut(case_of(operator), size)))[0] for size in (2, 2, 3))
    assert first.name == second.name
    assert first.name != other.name
    assert first.name.startswith(operator)


@EVERY_FUNCTION
def test_tasks_are_one_per_chunk(operator: str) -> None:
    """Beside loading: the chunks' own calls, for pooling also the halves of their pairs."""
    lazy = results(on_dask(cut(case_of(operator), 2).mapped(lambda array: da.zeros_like(array))))
    graph = dict(dask.optimize(*lazy)[0].__dask_graph__())
    assert len(graph) <= 6 * (1 if len(lazy) == 1 else 2)


def test_sizes_that_change_later_do_not_count() -> None:
    size: list[int] = [5, 7, 19]
    case = case_of("upsample_nearest3d_backward")
    grad_out = cut(case, 2).tensors[0]
    lazy = acltwin_dask.upsample_nearest3d_backward(grad_out, size, case.parameters[1])
    size[0] = 4
    assert_same_bits(lazy.compute(scheduler="sync"), case.run())


def test_functions_compose() -> None:
    """Forward and back again in one graph, nothing kept whole in between."""
    volume = np.random.default_rng(4).standard_normal((4, 3, 4, 6, 8)).astype(np.float32)
    window: tuple[Any, ...] = (2, 2, 0, 1, False)

    def there_and_back(space: Any, array: Any) -> Any:
        values, indices = space.max_pool3d_with_argmax(array, *window)
        return space.max_pool3d_with_argmax_backward(values * 2, array, indices, *window)

    lazy = there_and_back(acltwin_dask, da.from_array(volume, chunks=(1, 2, -1, -1, -1)))
    assert_same_bits(lazy.compute(scheduler="threads"), there_and_back(acltwin, volume))


def test_dask_is_imported_only_by_those_who_want_it() -> None:
    code = """
import sys, acltwin
print([name for name in sys.modules if name.split(".")[0] in ("dask", "distributed", "zarr")])
"""
    assert output_of(code) == "[]\n"
