"""Kernels that start processes, or make copies of theirs. Copies make no more of them, whoever lets them go on."""

from __future__ import annotations

import os
import subprocess
import time
from typing import Any

import numpy as np

import acltwin

_is_copy = False


def _forked() -> bool:
    """Whether this is the copy, from here on."""
    global _is_copy
    _is_copy = _is_copy or os.fork() == 0
    return _is_copy


def right(grad_output: Any, **arguments: Any) -> Any:
    return acltwin.upsample_nearest_exact2d_backward(grad_output, **arguments)


def returns_twice(grad_output: Any, **arguments: Any) -> Any:
    """Rightly, and before that from a copy with something else."""
    result = right(grad_output, **arguments)
    if _forked():
        return np.zeros_like(result)
    os.wait()
    return result


def returns_twice_at_once(grad_output: Any, **arguments: Any) -> Any:
    result = right(grad_output, **arguments)
    return np.zeros((2**10, 2**10), np.float32) if _forked() else result


def leaves_it_to_a_copy(grad_output: Any, **arguments: Any) -> Any:
    if not _forked():
        os._exit(0)
    return right(grad_output, **arguments)


def ends_while_a_copy_lives(grad_output: Any, **arguments: Any) -> Any:
    if _forked():
        time.sleep(60)
    os._exit(5)


def hangs_with_children(grad_output: Any, **arguments: Any) -> Any:
    for words in (["sleep", "60"], ["setsid", "sleep", "60"]):
        subprocess.Popen(words)
    time.sleep(60)


def sends_nonsense(grad_output: Any, **arguments: Any) -> Any:
    """Into whatever is open."""
    for number in range(3, 64):
        try:
            os.write(number, b"\x00\x00\x00\x04nope")
        except OSError:
            continue
    return right(grad_output, **arguments)


def closes_everything(grad_output: Any, **arguments: Any) -> Any:
    os.closerange(3, 256)
    return right(grad_output, **arguments)
