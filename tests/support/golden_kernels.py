"""Kernels for the tests: a right one, and some that are wrong, or cheat, in one way each."""

from __future__ import annotations

import gc
import os
import signal
import time
from typing import Any

import numpy as np

import acltwin
from acltwin.golden.judge.expected import Expected

Array = np.ndarray[Any, Any]


def right(grad_output: Array, output_size: Any, input_size: Any, scales_h: float = 0.0, scales_w: float = 0.0) -> Array:
    return acltwin.upsample_nearest_exact2d_backward(grad_output, output_size, input_size, scales_h, scales_w)


def writes_its_input(grad_output: Array, *arguments: Any) -> Array:
    result = right(grad_output, *arguments)
    grad_output[0, 0, 0, 0] = 77
    return result


def returns_its_memory(grad_output: Array, output_size: Any, input_size: Any, *scales: float) -> Array:
    """Memory of the right size, as it comes: if the expected values were ever there, they would be a perfect answer."""
    return np.empty(input_size, grad_output.dtype)


def looks_for_the_answer(grad_output: Array, output_size: Any, input_size: Any, *scales: float) -> Array:
    for thing in gc.get_objects():
        if isinstance(thing, Expected) and thing.value.shape == tuple(input_size):
            return thing.value.astype(grad_output.dtype)
    return np.zeros(input_size, grad_output.dtype)


def returns_nan(grad_output: Array, output_size: Any, input_size: Any, *scales: float) -> Array:
    return np.full(input_size, np.nan).astype(grad_output.dtype)


def skips(*arguments: Any) -> Any:
    return NotImplemented


def refuses(*arguments: Any) -> Any:
    raise NotImplementedError("not on this device")


def crashes(grad_output: Array, output_size: Any, input_size: Any, *scales: float) -> Array:
    if input_size[-1] == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return right(grad_output, output_size, input_size, *scales)


def leaves(*arguments: Any) -> Any:
    os._exit(0)


def hangs(grad_output: Array, output_size: Any, input_size: Any, *scales: float) -> Array:
    if input_size[-1] == 5:
        time.sleep(600)
    return right(grad_output, output_size, input_size, *scales)


def raises(grad_output: Array, output_size: Any, input_size: Any, *scales: float) -> Array:
    if input_size[-1] == 5:
        raise RuntimeError("no such tile")
    return right(grad_output, output_size, input_size, *scales)


def returns_nothing(*arguments: Any) -> None:
    return None


def another_shape(grad_output: Array, output_size: Any, input_size: Any, *scales: float) -> Array:
    n, c, h, w = input_size
    return right(grad_output, output_size, input_size, *scales).reshape(n, c, w, h)


def another_dtype(grad_output: Array, *arguments: Any) -> Array:
    return right(grad_output, *arguments).astype(np.float64)


def differs_from_run_to_run(grad_output: Array, *arguments: Any) -> Array:
    result = np.array(right(grad_output, *arguments))
    differs_from_run_to_run.calls += 1  # type: ignore[attr-defined]
    result[result == 0] = -0.0 if differs_from_run_to_run.calls % 2 else 0.0  # type: ignore[attr-defined]
    return result


differs_from_run_to_run.calls = 0  # type: ignore[attr-defined]


def fills_out(
    grad_output: Array, output_size: Any, input_size: Any, scales_h: float, scales_w: float, out: Array
) -> None:
    assert np.isnan(out.astype(np.float32)).all()
    out[...] = right(grad_output, output_size, input_size, scales_h, scales_w)


def forgets_a_cell(
    grad_output: Array, output_size: Any, input_size: Any, scales_h: float, scales_w: float, out: Array
) -> None:
    out.ravel()[1:] = right(grad_output, output_size, input_size, scales_h, scales_w).ravel()[1:]
