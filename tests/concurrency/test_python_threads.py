"""Many Python threads at once: right results, no waiting for each other, no lock held while kernels run."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import acltwin
from support import registry
from support.cases import NEAREST3D, OPERATOR_DTYPES, UNPOOL, Case, small_case
from support.large import large_cases
from support.thorough import THOROUGH
from support.values import assert_same_bits


def summing(rows: int) -> Case:
    """One cell that collects many rows of one and the same memory: much work, little memory, one thread."""
    gradient = np.broadcast_to(np.float32(0), (1, 1, 1, rows, 256))
    return Case(NEAREST3D, (gradient,), ((1, rows, 256), (1, 1, 1, 1, 1)))


@pytest.fixture(scope="module")
def long_call() -> Case:
    """A call of about two seconds on this machine."""
    rows = 1 << 20
    started = time.perf_counter()
    summing(rows).run()
    return summing(int(rows * 2 / (time.perf_counter() - started)))


def test_many_threads_compute_different_things() -> None:
    cases = [make() for make in list(large_cases(1 << 16).values())[::4]]
    cases += [small_case(operator, dtype) for operator, dtype in OPERATOR_DTYPES]
    expected = [case.run() for case in cases]
    acltwin.set_num_threads(3)
    with ThreadPoolExecutor(16) as executor:
        for _ in range(3):
            for result, right in zip(executor.map(Case.run, cases), expected, strict=True):
                assert_same_bits(result, right)


def test_other_python_threads_go_on_during_a_call(long_call: Case) -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = ticks
    long_call.run()
    during = ticks - before
    done.set()
    ticker.join()
    assert during > 50


WITH_LARGE_CASES = [name for name in registry.representatives() if any(name in case for case in large_cases())]


@pytest.mark.parametrize("operator", WITH_LARGE_CASES if THOROUGH else [NEAREST3D, UNPOOL])
def test_a_long_call_keeps_no_other_call_waiting(operator: str, long_call: Case) -> None:
    """Calls with several threads of their own begin and end while the long one runs."""
    acltwin.set_num_threads(2)
    case = next(make for name, make in large_cases().items() if operator in name)()
    expected = case.run()
    with ThreadPoolExecutor(1) as executor:
        long_one = executor.submit(long_call.run)
        for _ in range(3):
            assert_same_bits(case.run(), expected)
        assert long_one.running()
        assert long_one.result().item() == 0


def test_the_number_of_threads_may_change_during_calls() -> None:
    case = next(make for name, make in large_cases(1 << 18).items() if "x2.7" in name)()
    expected = case.run()
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            for count in (1, 2, 3, 8):
                acltwin.set_num_threads(count)

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(50):
            assert_same_bits(case.run(), expected)
    finally:
        done.set()
        changer.join()
