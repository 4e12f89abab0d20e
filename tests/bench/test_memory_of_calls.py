"""No layout is copied and no 16-bit tensor widened as a whole: a call needs little memory beside its tensors."""

from __future__ import annotations

import json

import pytest

import acltwin
from bench import memory
from support.processes import output_of

# Prints the peak of every call into `out` beside the bytes of its largest tensor. The process is a fresh one: memory
# that an earlier call gave back would hide a need.
PEAKS = """
import json
import numpy as np
from bench.memory import peak_of
from support.cases import NEAREST3D, POOL, UNPOOL, Window, pool, unpool, upsample
from support.layouts import channels_last, contiguous, pitched, swapped_rows_and_columns

rng = np.random.default_rng(1)
half = np.dtype(np.float16)
calls = {
    "factor 2": upsample(rng, NEAREST3D, half, (32, 64, 128), (16, 32, 64), batch=(2, 32)),
    "factor 2.7": upsample(rng, NEAREST3D, half, (27, 81, 108), (10, 30, 40), batch=(2, 32)),
    "factor 0.5": upsample(rng, NEAREST3D, half, (16, 32, 64), (32, 64, 128), batch=(2, 32)),
    "unpool": unpool(rng, half, (16, 64, 128), (16, 32, 64), batch=(2, 32)),
    "pool": pool(rng, half, (16, 64, 128), Window((2, 2, 2), (2, 2, 2)), batch=(2, 32)),
    "pool, overlapping": pool(rng, half, (16, 64, 128), Window((3, 3, 3), (2, 2, 2), (1, 1, 1)), batch=(2, 32)),
}
found = {}
for name, case in calls.items():
    for layout in (contiguous, channels_last, pitched, swapped_rows_and_columns):
        moved = case.mapped(layout)
        result = np.ones(case.result_shape, half)  # touched already
        out = result if case.operator == UNPOOL else layout(result)
        largest = max(out.nbytes, *(tensor.nbytes for tensor in moved.tensors))
        found[f"{name}, {layout.__name__}"] = (peak_of(lambda: moved.run(out=out)), largest)
print(json.dumps(found))
"""


def allowed(largest: int) -> float:
    """An eighth, and a tile of sums for each thread. A copy would need all of it, float32 sums of it twice that."""
    return largest / 8 + acltwin.get_num_threads() * (4 << 20)


@pytest.mark.skipif(not memory.measurable(), reason="the peak of a process can be reset on Linux only")
def test_calls_need_little_memory_beside_their_tensors() -> None:
    found = json.loads(output_of(PEAKS))
    wasteful = {
        name: f"{peak} of {largest} bytes" for name, (peak, largest) in found.items() if peak > allowed(largest)
    }
    assert not wasteful
