"""The switch is turned while operators run: by other threads, around forks, and at the end of the program."""

from __future__ import annotations

import gc

import pytest

from support.lazy import Lazy, acltwin_torch, torch
from support.lazy import functional as pytorch
from support.preloaded import output_with_pytorch as output_of
from support.preloaded import run_with_pytorch
from support.thorough import THOROUGH

switch = Lazy("acltwin.torch._replace")
SEEDS = range(20 if THOROUGH else 1)

STEPS = """
import os, random, threading, time
import torch
import torch.nn.functional as F
import acltwin.torch

torch.set_num_threads(1)
volume = torch.randn(1, 2, 4, 6, 8)

def step():
    x = volume.clone().requires_grad_()
    pooled, indices = F.max_pool3d(x, 2, return_indices=True)
    unpooled, image = F.max_unpool3d(pooled, indices, 2), x[:, :, 0]
    for mode in ("nearest", "nearest-exact"):
        large = F.interpolate(unpooled, scale_factor=1.5, mode=mode).sum() + F.interpolate(image, 7, mode=mode).sum()
        large.backward(retain_graph=True)
    return x.grad

expected, failures = step(), []
threading.excepthook = lambda failed: failures.append(failed.exc_value)

def run(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
"""

SWITCHING = """
random.seed(SEED)
steps = blocks = 0
end = time.monotonic() + 2

def work():
    global steps
    while time.monotonic() < end or steps < 10:
        torch.testing.assert_close(step(), expected)
        steps += 1

def switch():
    global blocks
    while time.monotonic() < end or blocks < 10:
        with acltwin.torch.replaced():
            time.sleep(random.random() / 5000)
        time.sleep(random.random() / 5000)
        blocks += 1

run(work, work, work, switch, switch)
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_the_switch_is_turned_while_other_threads_are_inside(seed: int) -> None:
    output_of(STEPS + SWITCHING.replace("SEED", str(seed)))


FIRST_BLOCK = """
random.seed(SEED)
done = threading.Event()

def work():
    while not done.is_set():
        torch.testing.assert_close(step(), expected)

def switch():
    time.sleep(random.random() / 20)
    with acltwin.torch.replaced() as report:
        while len(report.operators) < 11:
            time.sleep(0.001)
    done.set()

run(work, work, work, switch)
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_block_is_opened_while_other_threads_are_inside(seed: int) -> None:
    output_of(STEPS + FIRST_BLOCK.replace("SEED", str(seed)))


FORKING = """
from acltwin.torch import _report
held, go_on = threading.Event(), threading.Event()

def count():
    with _report.LOCK:
        held.set()
        go_on.wait(0.2)

with acltwin.torch.replaced() as report:
    thread = threading.Thread(target=count)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        torch.testing.assert_close(step(), expected)
        with acltwin.torch.replaced() as inner:
            step()
        os._exit(0 if inner.operators["max_unpool3d"].taken == 1 else 1)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    step()
assert report.operators["max_unpool3d"].taken == 1
"""


def test_a_child_that_is_forked_while_another_thread_counts() -> None:
    """It would wait for that thread, which it does not have."""
    output_of(STEPS + FORKING, timeout=120)


SIGNALS = """
import signal

def interrupt(*_):
    F.max_pool3d(volume, 2)
    if time.monotonic() < end:
        signal.setitimer(signal.ITIMER_REAL, random.random() / 1000)

signal.signal(signal.SIGALRM, interrupt)
end = time.monotonic() + 1
with acltwin.torch.replaced() as report:
    interrupt()
    while True:
        torch.testing.assert_close(step(), expected)
        if time.monotonic() >= end:
            break
    signal.setitimer(signal.ITIMER_REAL, 0)
assert report.operators["max_pool3d_with_indices"].taken > report.operators["max_unpool3d"].taken
"""


def test_a_signal_may_come_while_a_call_is_counted() -> None:
    output_of(STEPS + SIGNALS, timeout=120)


@pytest.mark.parametrize("end", ["", "raise KeyError", "raise SystemExit(3)"])
def test_a_program_may_end_with_its_operators_replaced(end: str) -> None:
    done = run_with_pytorch(
        STEPS + f"acltwin.torch.replace()\nstep()\nblock = acltwin.torch.replaced().__enter__()\n{end}"
    )
    assert done.returncode == {"": 0, "raise KeyError": 1}.get(end, 3), done.stderr


def _computed_here() -> bool:
    """PyTorch refuses to unpool deterministically, this library does not."""
    torch.use_deterministic_algorithms(True)
    try:
        pytorch.max_unpool3d(torch.ones(1, 1, 2, 2, 2), torch.arange(8).reshape(1, 1, 2, 2, 2), 1, 1)
    except RuntimeError as error:
        assert "deterministic" in str(error)  # noqa: PT017  sometimes there is none
        return False
    finally:
        torch.use_deterministic_algorithms(False)
    return True


def test_nothing_is_computed_here_outside() -> None:
    assert not _computed_here()
    with acltwin_torch.replaced():
        assert _computed_here()
        with acltwin_torch.replaced():
            pass
        assert _computed_here()
    assert not _computed_here()


def test_a_block_that_nobody_keeps_stays_open() -> None:
    report = acltwin_torch.replaced().__enter__()
    try:
        gc.collect()
        assert _computed_here()
        assert report.operators["max_unpool3d"].taken == 1
    finally:
        switch._SWITCH.close(report)
    assert not _computed_here()


def test_a_block_may_be_entered_again_inside_of_itself() -> None:
    block = acltwin_torch.replaced()
    with block as outer:
        with block as inner:
            assert _computed_here()
        assert _computed_here()
    assert not _computed_here()
    assert (inner.operators["max_unpool3d"].taken, outer.operators["max_unpool3d"].taken) == (1, 2)


def test_the_whole_program_has_a_report() -> None:
    report = acltwin_torch.replace()
    try:
        assert _computed_here()
        assert acltwin_torch.replace() is report
    finally:
        acltwin_torch.restore()
    assert not _computed_here()
    assert report.operators["max_unpool3d"].taken == 1
    assert acltwin_torch.replace() is not report
    acltwin_torch.restore()
