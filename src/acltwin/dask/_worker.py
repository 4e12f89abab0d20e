"""How the library behaves in a process that dask started: one thread per task, little memory kept."""

from __future__ import annotations

import functools
import multiprocessing
import os
import sys

import acltwin

KEPT_SHARE = 8  # a worker's memory limit divided by this bounds the memory kept for later results


def settle() -> None:
    """Called by every task; does something once, in a worker's own process."""
    if multiprocessing.parent_process() is not None:
        _settle(os.getpid())


@functools.lru_cache(maxsize=1)
def _settle(process: int) -> None:
    """Dask runs as many tasks at once as the worker has threads: more threads in each would fight for the cores.

    Variables of the environment take precedence. `process` tells a forked child apart.
    """
    if "ACLTWIN_NUM_THREADS" not in os.environ:
        acltwin.set_num_threads(1)
    limit = _memory_limit()
    if limit is not None and "ACLTWIN_OUTPUT_POOL_MIB" not in os.environ:
        acltwin.set_output_pool_limit(min(acltwin.output_pool_limit(), limit // KEPT_SHARE))


def _memory_limit() -> int | None:
    """Of the distributed worker that runs this task, if it is one and has one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        worker = distributed.get_worker()
    except ValueError:  # not in a task of a distributed worker
        return None
    limit: int | None = worker.memory_manager.memory_limit
    return limit
