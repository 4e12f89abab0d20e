"""Memory of dead results serves new ones: bounded, and never that of a living one."""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import _core
from support.libraries import to_jax, to_numpy, to_torch
from support.processes import output_of
from support.values import Array

MIB = 1 << 20


def copy_of(values: Array) -> Any:
    """A result that holds the values: the gradient of an upsampling that changed no size."""
    return acltwin.upsample_nearest3d_backward(values, values.shape[2:], values.shape)


def constant(value: float, mebibytes: float) -> Array:
    """A gradient of one value everywhere, without memory of its own."""
    cells = int(mebibytes * MIB) // 4
    return np.broadcast_to(np.float32(value), (1, 1, 1, 256, cells // 256))


@pytest.fixture(autouse=True)
def _empty_pool() -> None:
    gc.collect()
    limit = acltwin.output_pool_limit()
    acltwin.set_output_pool_limit(0)
    acltwin.set_output_pool_limit(limit)
    assert _core.output_pool_kept() == 0


def test_memory_of_a_dead_result_is_used_again() -> None:
    first = copy_of(constant(1, 8))
    address = first.ctypes.data
    del first
    assert _core.output_pool_kept() >= 8 * MIB
    second = copy_of(constant(2, 8))
    assert second.ctypes.data == address
    assert _core.output_pool_kept() == 0
    assert (second == 2).all()


@pytest.mark.parametrize("convert", [np.copy, to_torch, to_jax])
def test_every_library_returns_its_memory(convert: Callable[[Array], Any]) -> None:
    result = copy_of(convert(constant(1, 4).copy()))
    assert (to_numpy(result) == 1).all()
    del result
    gc.collect()
    assert _core.output_pool_kept() >= 4 * MIB


def test_a_larger_result_takes_no_memory_that_is_too_small() -> None:
    copy_of(constant(1, 16))
    kept = _core.output_pool_kept()
    assert kept >= 16 * MIB
    larger = copy_of(constant(2, 18))  # less than an eighth larger
    assert _core.output_pool_kept() == kept
    assert (larger == 2).all()


def test_a_view_keeps_its_result_alive() -> None:
    view = copy_of(constant(1, 4))[0, 0, 0, 10:20]
    others = [copy_of(constant(2, 4)) for _ in range(4)]
    assert (view == 1).all()
    assert all((other == 2).all() for other in others)


def test_results_stay_as_they_are_while_others_come_and_go() -> None:
    generator = random.Random(3)
    alive: dict[int, Any] = {}
    for number in range(300):
        alive[number] = copy_of(constant(number, generator.choice([0.3, 1, 2.5])))
        if len(alive) > 12:
            chosen = generator.choice(list(alive))
            assert (alive.pop(chosen) == chosen).all()
    for number, result in alive.items():
        assert (result == number).all()


def test_what_is_kept_is_bounded() -> None:
    acltwin.set_output_pool_limit(20 * MIB)
    results = [copy_of(constant(n, 4)) for n in range(10)]
    while results:
        results.pop()
        assert _core.output_pool_kept() <= 20 * MIB
    assert _core.output_pool_kept() >= 16 * MIB
    acltwin.set_output_pool_limit(5 * MIB)
    assert _core.output_pool_kept() <= 5 * MIB
    large = copy_of(constant(1, 8))
    del large
    assert _core.output_pool_kept() <= 5 * MIB


def test_a_limit_of_zero_keeps_nothing() -> None:
    acltwin.set_output_pool_limit(0)
    assert acltwin.output_pool_limit() == 0
    result = copy_of(constant(1, 8))
    del result
    assert _core.output_pool_kept() == 0


def test_the_environment_sets_the_limit() -> None:
    code = "import acltwin; print(acltwin.output_pool_limit())"
    assert output_of(code, {"ACLTWIN_OUTPUT_POOL_MIB": "0"}).strip() == "0"
    assert output_of(code, {"ACLTWIN_OUTPUT_POOL_MIB": "7"}).strip() == str(7 * MIB)


def test_many_threads_allocate_and_free() -> None:
    acltwin.set_output_pool_limit(16 * MIB)

    def work(seed: int) -> None:
        generator = random.Random(seed)
        alive = []
        for step in range(60):
            value = seed * 1000 + step
            alive.append((value, copy_of(constant(value, generator.choice([0.01, 0.3, 1, 2])))))
            if len(alive) > 3:
                right, result = alive.pop(generator.randrange(len(alive)))
                assert (result == right).all()

    with ThreadPoolExecutor(8) as executor:
        list(executor.map(work, range(8)))
    assert _core.output_pool_kept() <= 16 * MIB


def test_results_are_aligned_for_vectors() -> None:
    for mebibytes in (0.01, 0.3, 1, 3):
        assert copy_of(constant(1, mebibytes)).ctypes.data % 64 == 0


# A process that may have 300 MiB more than it has now, of which idle results take 250.
NEARLY_FULL = """
import resource
import numpy as np
import acltwin
from acltwin import _core, acl
MIB = 1 << 20
def constant(mebibytes, dtype=np.float32):
    return np.broadcast_to(dtype(1), (1, 1, 1, 256, mebibytes * MIB // 256 // np.dtype(dtype).itemsize))
def copy_of(values):
    return acltwin.upsample_nearest3d_backward(values, values.shape[2:], values.shape)
assert acl.init() == 0 and acl.rt.set_device(0) == 0
copy_of(constant(1))  # all that happens once has happened
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + 300 * MIB
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
results = [copy_of(constant(50)) for _ in range(5)]
del results
assert _core.output_pool_kept() >= 250 * MIB
"""


needs_exact_limits = pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer keeps memory")


@needs_exact_limits
@pytest.mark.parametrize(
    "allocate",
    [
        "assert (copy_of(constant(100)) == 1).all()",
        "address, ret = acl.rt.malloc(100 * MIB, 0); assert ret == 0, acl.get_recent_err_msg()",
        "values = np.ones(45 * MIB + 1, np.uint8)[1:].view(np.float32); copy_of(values.reshape(1, 1, 1, 256, -1))",
    ],
    ids=["result", "block", "copy of misaligned elements"],
)
def test_idle_memory_is_given_back_when_there_is_no_other(allocate: str) -> None:
    output_of(NEARLY_FULL + allocate)


@needs_exact_limits
def test_other_libraries_get_the_memory_when_the_limit_is_lowered() -> None:
    code = """
try:
    np.ones(100 * MIB, np.uint8)
except MemoryError:
    acltwin.set_output_pool_limit(0)
print(np.ones(100 * MIB, np.uint8).sum())
"""
    assert output_of(NEARLY_FULL + code).strip() == str(100 * MIB)
