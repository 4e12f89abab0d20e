"""Signals in the middle of calls: waits go on, results are right."""

from __future__ import annotations

import signal
from types import FrameType

import numpy as np
import pytest

import acltwin
from acltwin.acl import easy

GRADIENT = np.random.default_rng(5).integers(-9, 9, (4, 8, 32, 32, 32)).astype(np.float32)
EXPECTED = GRADIENT.reshape(4, 8, 16, 2, 16, 2, 16, 2).sum((3, 5, 7))
SIZES = ((32, 32, 32), (4, 8, 16, 16, 16))


def array() -> np.ndarray:
    return acltwin.upsample_nearest3d_backward(GRADIENT, *SIZES)


def acl() -> np.ndarray:
    with easy.Device(0) as device, device.stream() as stream:
        grad_out = device.tensor(GRADIENT, "NCDHW")
        grad_input = device.empty(EXPECTED.shape, "float32", "NCDHW")
        stream.run("upsample_nearest3d_backward", grad_out, *SIZES, 0.0, 0.0, 0.0, grad_input)
        stream.synchronize()
        return grad_input.numpy()


@pytest.mark.parametrize("door", [array, acl])
def test_signals_disturb_nothing(door: object) -> None:
    assert callable(door)
    signals = 0

    def count(number: int, frame: FrameType | None) -> None:
        nonlocal signals
        signals += 1

    before = signal.signal(signal.SIGALRM, count)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        for _ in range(40):
            np.testing.assert_array_equal(door(), EXPECTED)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert signals > 20
