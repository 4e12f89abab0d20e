"""The same bits and the same errors on every scheduler; workers that do not fight for cores and memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from support.cases import POOL, UNPOOL
from support.chunked import FUNCTIONS, case_of, cut, on_dask, results
from support.lazy import Lazy, dask
from support.values import BFLOAT16, assert_same_bits

_worker = Lazy("acltwin.dask._worker")
BAD_INDEX = 10**6


def every_call(dtype: np.dtype[Any]) -> tuple[list[Any], list[Any]]:
    """What dask shall compute and what must come out, all functions together."""
    lazy: list[Any] = []
    expected: list[Any] = []
    for operator in FUNCTIONS:
        case = case_of(operator, dtype)
        lazy += results(on_dask(cut(case, 3, 2)))
        expected += results(case.run())
    return lazy, expected


def bad_call() -> tuple[Any, str]:
    """A call with one bad index in its last chunk, and what it says on whole arrays."""
    case = case_of(UNPOOL)
    indices = case.tensors[2].copy()
    indices[4, 3, 1, 2, 0] = BAD_INDEX
    case = case.with_tensor(2, indices)
    with pytest.raises(IndexError) as refusal:
        case.run()
    return on_dask(cut(case, 2)), str(refusal.value)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_bits_in_this_process(scheduler: str) -> None:
    threads = acltwin.get_num_threads()
    for dtype in (np.dtype(np.float32), BFLOAT16):
        lazy, expected = every_call(dtype)
        for actual, whole in zip(dask.compute(*lazy, scheduler=scheduler), expected, strict=True):
            assert_same_bits(actual, whole)
    assert acltwin.get_num_threads() == threads, "this process's settings are its own"


def test_bits_in_other_processes() -> None:
    lazy, expected = every_call(np.dtype(np.float32))
    for actual, whole in zip(dask.compute(*lazy, scheduler="processes", num_workers=2), expected, strict=True):
        assert_same_bits(actual, whole)


def test_bits_on_a_cluster(cluster: Any) -> None:
    for dtype in (np.dtype(np.float32), BFLOAT16):
        lazy, expected = every_call(dtype)
        for actual, whole in zip(cluster.gather(cluster.compute(lazy)), expected, strict=True):
            assert_same_bits(actual, whole)


def test_a_bad_index_is_named_by_its_place_in_the_whole_array() -> None:
    lazy, expected = bad_call()
    assert "indices[4, 3, 1, 2, 0]" in expected
    with pytest.raises(IndexError) as refusal:
        lazy.compute(scheduler="threads")
    assert str(refusal.value) == expected


def test_errors_of_workers_keep_type_and_message(cluster: Any) -> None:
    lazy, expected = bad_call()
    with pytest.raises(IndexError) as refusal:
        cluster.compute(lazy).result()
    assert type(refusal.value) is IndexError
    assert str(refusal.value) == expected


def test_a_worker_runs_one_thread_and_keeps_little_memory(cluster: Any) -> None:
    case = case_of(POOL)
    cluster.compute(on_dask(cut(case, 1))).result()
    settings = cluster.run(lambda: (acltwin.get_num_threads(), acltwin.output_pool_limit()))
    limit = cluster.scheduler_info()["workers"][next(iter(settings))]["memory_limit"]
    assert (1, limit // _worker.KEPT_SHARE) in settings.values()


def test_the_environment_decides_over_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, as if it were a worker that runs its first task."""
    monkeypatch.setattr("multiprocessing.parent_process", lambda: "a parent")
    monkeypatch.setenv("ACLTWIN_NUM_THREADS", "3")
    acltwin.set_num_threads(3)
    _worker._settle.cache_clear()
    _worker.settle()
    assert acltwin.get_num_threads() == 3
    monkeypatch.delenv("ACLTWIN_NUM_THREADS")
    _worker.settle()
    assert acltwin.get_num_threads() == 3, "only the first task does it"
    _worker._settle.cache_clear()
    _worker.settle()
    assert acltwin.get_num_threads() == 1
    _worker._settle.cache_clear()
