"""The speed that memory allows: the traffic of a problem without its arithmetic."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.problems import Problem


def streaming(problem: Problem, threads: int) -> Callable[[], Any]:
    """A call that reads as many bytes as the problem, linearly, and writes as many, past the cache."""
    stream_limit = importlib.import_module("acltwin._core").stream_limit
    source = np.ones(problem.bytes_read, np.uint8)
    target = np.ones(problem.bytes_written, np.uint8)
    return partial(stream_limit, source, target, threads)
