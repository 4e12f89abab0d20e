"""ACLTWIN_VERBOSE=1 shows every call: what, which variant, on how many threads, how long."""

from __future__ import annotations

import re

from support.processes import run_python

ARRAYS = """
import numpy as np
import acltwin
image = np.ones((1, 3, 4, 4), np.float32)
for _ in range(2):  # the second one is remembered
    acltwin.upsample_nearest2d(image, (8, 8))
pooled, indices = acltwin.max_pool3d_with_argmax(np.ones((1, 1, 2, 4, 4), np.float64), 2)
try:
    acltwin.max_unpool3d(pooled, indices + 99, (2, 4, 4), 2, 0)
except IndexError:
    pass
"""

ACLNN = """
import numpy as np
from acltwin.acl import easy
with easy.Device(0) as device, device.stream() as stream:
    image = device.tensor(np.ones((1, 3, 4, 4), np.float32), "NCHW")
    larger = device.empty((1, 3, 8, 8), "float32", "NCHW")
    stream.run("upsample_nearest2d", image, (8, 8), 0.0, 0.0, larger)
    stream.synchronize()
"""

TIME = r"[\d.]+ us"


def test_a_line_for_every_call_of_an_array_function() -> None:
    lines = run_python(ARRAYS, {"ACLTWIN_VERBOSE": "1"}).stderr.splitlines()
    upsample = (
        rf"acltwin: array upsample_nearest2d \(1, 3, 4, 4\) float32 -> \(1, 3, 8, 8\) float32, .+, 1 thread, {TIME}"
    )
    assert re.fullmatch(upsample, lines[0])
    assert re.fullmatch(upsample, lines[1])
    pool = rf"acltwin: array max_pool3d_with_argmax \(1, 1, 2, 4, 4\) float64 -> .+ float64 .+ int32, .+, {TIME}"
    assert re.fullmatch(pool, lines[2])
    assert re.fullmatch(rf"acltwin: array max_unpool3d .+, {TIME}, failed", lines[3])
    assert len(lines) == 4


def test_a_line_for_every_aclnn_call() -> None:
    (line,) = run_python(ACLNN, {"ACLTWIN_VERBOSE": "1"}).stderr.splitlines()
    assert re.fullmatch(rf"acltwin: aclnn upsample_nearest2d \(1, 3, 4, 4\) float32 -> .+ float32, .+, {TIME}", line)


def test_silent_unless_asked() -> None:
    assert run_python(ARRAYS).stderr == ""
    assert run_python(ARRAYS, {"ACLTWIN_VERBOSE": "0"}).stderr == ""


def test_another_value_is_refused() -> None:
    failed = run_python("import acltwin", {"ACLTWIN_VERBOSE": "loud"})
    assert "ACLTWIN_VERBOSE is 'loud', expected a whole number from 0 to 1" in failed.stderr
