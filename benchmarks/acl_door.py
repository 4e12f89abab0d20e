"""What the ACL door costs in Python: a full operator cycle with 16 elements, a bare call, the array function.

python benchmarks/acl_door.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import acltwin
from acltwin import acl

LARGE, SMALL = (1, 2, 2, 2, 2), (1, 2, 1, 1, 1)


def microseconds(calls: int, body: Callable[[], object]) -> float:
    """The least of many rounds: other programs only ever add time."""
    least = float("inf")
    for _ in range(40):
        start = time.perf_counter()
        for _ in range(calls):
            body()
        least = min(least, (time.perf_counter() - start) / calls)
    return least * 1e6


def main() -> None:
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    stream, _ = acl.rt.create_stream()
    source, _ = acl.rt.malloc(64, 0)
    result, _ = acl.rt.malloc(8, 0)

    def cycle() -> None:
        grad_out = acl.create_tensor(LARGE, 0, None, 0, 30, LARGE, source)
        grad_input = acl.create_tensor(SMALL, 0, None, 0, 30, SMALL, result)
        output_size = acl.create_int_array(LARGE[2:])
        input_size = acl.create_int_array(SMALL)
        _, executor, ret = acl.upsample_nearest_exact3d_backward_get_workspace_size(
            grad_out, output_size, input_size, 0.0, 0.0, 0.0, grad_input
        )
        assert ret == 0
        assert acl.upsample_nearest_exact3d_backward(0, 0, executor, stream) == 0
        assert acl.rt.synchronize_stream(stream) == 0
        acl.destroy_tensor(grad_out)
        acl.destroy_tensor(grad_input)
        acl.destroy_int_array(output_size)
        acl.destroy_int_array(input_size)

    array = np.ones(LARGE, np.float32)
    print(f"bare call: {microseconds(5000, lambda: acl.data_type_size(0)):.2f} us")
    print(f"full cycle: {microseconds(200, cycle):.1f} us")
    function = acltwin.upsample_nearest_exact3d_backward
    print(f"array function: {microseconds(2000, lambda: function(array, LARGE[2:], SMALL)):.2f} us")


if __name__ == "__main__":
    main()
