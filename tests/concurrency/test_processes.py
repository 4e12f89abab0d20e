"""Fork, signals and the end of the process."""

from __future__ import annotations

import platform
import signal
import subprocess
import sys

import pytest

from support.processes import environment_for, output_of, run_python

COMPUTE = """
import numpy as np, acltwin

def compute(threads=4):
    acltwin.set_num_threads(threads)
    gradient = np.ones((4, 16, 8, 64, 64), np.float32)  # large enough for every thread
    return float(acltwin.upsample_nearest3d_backward(gradient, (8, 64, 64), (4, 16, 4, 32, 32)).sum())

RIGHT = 4.0 * 16 * 8 * 64 * 64
"""


def test_forked_workers_compute_after_the_parent_did() -> None:
    code = (
        COMPUTE
        + """
import multiprocessing
assert compute() == RIGHT
with multiprocessing.get_context("fork").Pool(3) as pool:
    assert pool.map(compute, [1, 2, 3, 4, 8, 4]) == [RIGHT] * 6
assert compute() == RIGHT
print("ok")
"""
    )
    assert output_of(code, timeout=120).strip() == "ok"


def test_fork_while_other_threads_compute() -> None:
    """Whatever the other threads hold at that moment, the child starts anew."""
    code = (
        COMPUTE
        + """
import os, threading
stop = threading.Event()
def work():
    while not stop.is_set():
        compute()
workers = [threading.Thread(target=work) for _ in range(3)]
for worker in workers: worker.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if compute() == RIGHT else 1)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
for worker in workers: worker.join()
print("ok")
"""
    )
    assert output_of(code, timeout=240).strip() == "ok"


def test_a_child_of_a_child_computes() -> None:
    code = (
        COMPUTE
        + """
import os
compute()
child = os.fork()
if child == 0:
    compute()
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(0 if compute() == RIGHT else 1)
    os._exit(os.waitpid(grandchild, 0)[1] != 0)
assert os.waitpid(child, 0)[1] == 0
print("ok")
"""
    )
    assert output_of(code, timeout=120).strip() == "ok"


@pytest.mark.parametrize("threads", [1, 4])
def test_ctrl_c_interrupts_a_loop_of_calls(threads: int) -> None:
    code = (
        COMPUTE
        + f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it from the start
print("ready", flush=True)
try:
    while True:
        compute({threads})
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert compute() == RIGHT  # and goes on working
print("ok")
"""
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment_for(),
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    try:
        process.wait(0.3)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out.split()) == (0, ["interrupted", "ok"]), err


def test_the_process_ends_while_its_threads_wait_or_work() -> None:
    """Daemon threads may be inside a call when the interpreter goes down."""
    code = (
        COMPUTE
        + """
import threading, time
def work():
    while True:
        compute()
for _ in range(3): threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("ok", flush=True)
"""
    )
    assert output_of(code, timeout=60).strip() == "ok"


def test_results_that_outlive_everything_are_harmless() -> None:
    code = (
        COMPUTE
        + """
import atexit, builtins
gradient = np.ones((1, 1, 8, 64, 64), np.float32)
builtins.kept = acltwin.upsample_nearest3d_backward(gradient, (8, 64, 64), (1, 1, 8, 64, 64))
atexit.register(lambda: print(builtins.kept.sum() == 8 * 64 * 64))
"""
    )
    assert output_of(code).strip() == "True"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ACLTWIN_NUM_THREADS", "many"),
        ("ACLTWIN_NUM_THREADS", "0"),
        ("ACLTWIN_ISA", "sse9"),
        ("ACLTWIN_OUTPUT_POOL_MIB", "-1"),
    ],
)
def test_a_wrong_setting_is_reported_at_import(variable: str, value: str) -> None:
    code = """
try:
    import acltwin
except Exception as error:
    print(type(error).__name__, error)
"""
    text = output_of(code, {variable: value})
    assert variable in text
    assert f"'{value}'" in text
    assert ";" in text


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is one level on other machines")
def test_a_level_that_there_is_not_is_not_blamed_on_the_processor() -> None:
    done = run_python("import acltwin", {"ACLTWIN_ISA": "x86-64-v4"})
    (message,) = done.stderr.strip().splitlines()[-1:]
    assert "ACLTWIN_ISA is 'x86-64-v4', a level that this library does not have, expected " in message
    assert "x86-64-v2" in message
    assert "CPU" not in message
