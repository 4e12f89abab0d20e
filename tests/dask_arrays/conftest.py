"""A cluster for the tests of this folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from support.lazy import dask, distributed

MEMORY_LIMIT = 800_000_000
PATIENCE = {"distributed.comm.timeouts.connect": "300s", "distributed.comm.timeouts.tcp": "300s"}


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Two worker processes of one thread each, on the loopback interface."""
    with warnings.catch_warnings(), dask.config.set(PATIENCE):
        warnings.simplefilter("ignore")  # a busy machine makes dask complain; what counts is raised or returned
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                memory_limit=MEMORY_LIMIT,
            ) as local,
            distributed.Client(local, set_as_default=False, timeout=300) as client,
        ):
            yield client
