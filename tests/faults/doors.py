"""Runs one door of acltwin over and over, each time with another of its own requests for memory failing.

    LD_PRELOAD=failing_memory.so python doors.py DOOR

After every failure the door must still work, and hold no more than before. Prints how many requests were failed.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import acltwin

GRADIENT = np.arange(1 * 2 * 4 * 4 * 6, dtype=np.float32).reshape(1, 2, 4, 4, 6) % 7 - 3
EXPECTED = GRADIENT.reshape(1, 2, 2, 2, 2, 2, 3, 2).sum((3, 5, 7))
SIZES = ((4, 4, 6), (1, 2, 2, 2, 3))


BATCHES = itertools.count(1)


def array() -> Any:
    """Another shape each time, as plans of recent calls are kept."""
    batch = next(BATCHES)
    repeated = np.repeat(GRADIENT, batch, 0)
    return acltwin.upsample_nearest3d_backward(repeated, SIZES[0], (batch, *SIZES[1][1:]))[:1]


def array_misaligned() -> Any:
    """An input that has to be copied, and a result in memory that is given."""
    memory = np.zeros(GRADIENT.nbytes + 1, np.uint8)[1:]
    shifted = memory.view(np.float32).reshape(GRADIENT.shape)
    shifted[...] = GRADIENT
    out = np.empty(EXPECTED.shape, np.float32)
    return acltwin.upsample_nearest3d_backward(shifted, *SIZES, out=out)


def array_large() -> Any:
    """Several threads, and memory by the megabyte."""
    large = np.broadcast_to(GRADIENT[:, :1], (64, 16, 4, 4, 6)).copy()
    found = acltwin.upsample_nearest3d_backward(large, SIZES[0], (64, 16, 2, 2, 3))
    return np.concatenate([found[:1, :1], found[-1:, -1:] - EXPECTED[:, :1] + EXPECTED[:, 1:]], 1)


def pooling() -> Any:
    image = GRADIENT.repeat(2, -1)
    values, places = acltwin.max_pool3d_with_argmax(image, (1, 1, 2))
    restored = acltwin.max_unpool3d(values, places, (4, 4, 12), (1, 1, 2))
    return acltwin.upsample_nearest3d_backward(restored.reshape(*GRADIENT.shape, 2).sum(-1), *SIZES)


def acl() -> Any:
    from acltwin.acl import easy

    with easy.Device(0) as device, device.stream() as stream:
        grad_out = device.tensor(GRADIENT, "NCDHW")
        grad_input = device.empty(EXPECTED.shape, "float32", "NCDHW")
        stream.run("upsample_nearest3d_backward", grad_out, *SIZES, 0.0, 0.0, 0.0, grad_input)
        stream.synchronize()
        return grad_input.numpy()


def torch() -> Any:
    import torch

    from acltwin.torch import interpolate

    small = torch.zeros(EXPECTED.shape, requires_grad=True)
    interpolate(small, size=SIZES[0], mode="nearest").backward(torch.from_numpy(GRADIENT))
    assert small.grad is not None
    return small.grad.numpy()


def jax() -> Any:
    from acltwin import jax

    return np.asarray(jax.upsample_nearest3d_backward(GRADIENT, *SIZES))


def dask() -> Any:
    import dask.array

    from acltwin import dask as door

    chunked = dask.array.from_array(GRADIENT, chunks=(1, 1, 4, 4, 6))
    return door.upsample_nearest3d_backward(chunked, *SIZES).compute(scheduler="synchronous")


DOORS: dict[str, Callable[[], Any]] = {
    door.__name__: door for door in (array, array_misaligned, array_large, pooling, acl, torch, jax, dask)
}
EXPECTED_FAILURES = (MemoryError, RuntimeError, ValueError)
"""With a text about memory or threads; PyTorch, XLA and ACL have no kind of their own for it."""


def least_held(faults: ctypes.CDLL, enough: int = -1) -> int:
    """How many blocks acltwin holds once the threads of ended streams have gone, for which nobody waits."""
    gc.collect()
    least: int = faults.faults_held()
    end = time.monotonic() + (5 if enough >= 0 else 0.2)
    while least > enough and time.monotonic() < end:
        time.sleep(0.001)
        least = min(least, faults.faults_held())
    return least


def main(door: Callable[[], Any]) -> None:
    faults = ctypes.CDLL(None)
    faults.faults_held.restype = ctypes.c_long
    np.testing.assert_array_equal(door(), EXPECTED)
    faults.faults_find_libraries()
    for _ in range(40):  # until everything that is kept for later is there
        np.testing.assert_array_equal(door(), EXPECTED)
    held = least_held(faults)
    refused = survived = number = 0
    while True:
        found = failure = None
        faults.faults_arm(ctypes.c_long(number))
        try:
            found = door()
        except EXPECTED_FAILURES as error:
            failure = f"{type(error).__name__}: {error}"
        if not faults.faults_disarm():
            break
        if failure is None:
            np.testing.assert_array_equal(found, EXPECTED)  # it could do without
            survived += 1
        else:
            assert any(word in failure.lower() for word in ("memory", "thread", "alloc")), failure
            refused += 1
        del found
        np.testing.assert_array_equal(door(), EXPECTED)
        now = least_held(faults, held)
        assert now <= held, f"request {number} failed ({failure}): acltwin holds {now} blocks, {held} before"
        number += 1
    assert number > 0, "no request was ever failed: the preloaded library does not see them"
    print(f"{number} requests failed: {refused} calls refused, {survived} did without")


main(DOORS[sys.argv[1]])
