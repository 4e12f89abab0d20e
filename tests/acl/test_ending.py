"""A program may end at any time, in any way: queued work and copies never outlive the arrays that they touch.

The exit status is the program's own, and the end comes at once.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import textwrap

import pytest

from support.thorough import THOROUGH

# The memory of arrays this large goes back to the system when they die: who reads it then is killed.
BEGIN = """
import atexit, os, signal, sys, threading, time, types
import numpy as np
from acltwin import acl

SIZE = 40 << 20
TO_DEVICE, TO_HOST, BUFFERED = 1, 2, 5
assert acl.init() == 0 and acl.rt.set_device(0) == 0
context, _ = acl.rt.get_context()
stream, _ = acl.rt.create_stream()
other, _ = acl.rt.create_stream()
block, _ = acl.rt.malloc(SIZE, 0)
pinned, _ = acl.rt.malloc_host(SIZE)
event, _ = acl.rt.create_event()
array = np.ones(SIZE, np.uint8)
module = sys.modules["module"] = types.ModuleType("module")  # its array ends while threads may go on
module.array = np.ones(SIZE, np.uint8)

def upload(source, queue, kind=TO_DEVICE):
    assert acl.rt.memcpy_async(block, SIZE, source.ctypes.data, SIZE, kind, queue) == 0

def download(target, queue):
    assert acl.rt.memcpy_async(target.ctypes.data, SIZE, block, SIZE, TO_HOST, queue) == 0

def upload_rows(source, queue):
    assert acl.rt.memcpy_2d_async(block, SIZE // 8, source.ctypes.data, SIZE // 8, SIZE // 8, 8, TO_DEVICE, queue) == 0

def busy(queue):
    for value in range(4):
        assert acl.rt.memset_async(block, SIZE, value, SIZE, queue) == 0

def in_thread(work, daemon=False):
    def run():
        assert acl.rt.set_context(context) == 0
        work()
    thread = threading.Thread(target=run, daemon=daemon)
    thread.start()
    return thread
"""

# What a program does before it ends; each leaves work behind.
STEPS = {
    "array": "for _ in range(4): upload(array, stream)",
    "download": "busy(stream); download(array, stream)",
    "rows": "busy(stream); upload_rows(array, stream)",
    "module": "busy(other); upload(module.array, other)",
    "local array": "busy(stream); upload(np.ones(SIZE, np.uint8), stream)",
    "local download": "busy(other); download(np.ones(SIZE, np.uint8), other)",
    "default stream": "busy(0); upload(np.ones(SIZE, np.uint8), 0)",
    "pinned": "busy(stream); assert acl.rt.memcpy_async(block, SIZE, pinned, SIZE, TO_DEVICE, stream) == 0",
    "buffered": "upload(np.ones(SIZE, np.uint8), stream, BUFFERED)",
    "event": "busy(other); acl.rt.record_event(event, other); acl.rt.stream_wait_event(stream, event)",
    "event that nothing records": "acl.rt.stream_wait_event(stream, event); upload(array, stream)",
    "destroyed": "busy(stream); upload(array, stream); acl.rt.destroy_stream(stream); stream = 0",
    "thread": "in_thread(lambda: (busy(stream), upload(np.ones(SIZE, np.uint8), stream))).join()",
    "thread that exits": "in_thread(lambda: (upload(np.ones(SIZE, np.uint8), stream), sys.exit(3)))",
    "daemon": """
        def forever():
            while True:
                acl.rt.memcpy(block, SIZE, module.array.ctypes.data, SIZE, TO_DEVICE)
        in_thread(forever, daemon=True)
        time.sleep(0.1)
    """,
    "daemon that queues": """
        def queue_forever():
            while True:
                upload(module.array, other)
        in_thread(queue_forever, daemon=True)
        time.sleep(0.1)
    """,
    "child": """
        if (child := os.fork()) == 0:
            upload(array, stream)
            sys.exit(4)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    """,
}

# How it ends, and with which status.
ENDINGS = {
    "end": ("", 0),
    "error": ("raise RuntimeError('the end')", 1),
    "exit": ("sys.exit(7)", 7),
    "exit in a function": (
        """
        def leave():
            mine = np.ones(SIZE, np.uint8)
            busy(stream)
            upload(mine, stream)
            sys.exit(7)
        leave()
        """,
        7,
    ),
    "interrupt": (  # also where interrupts are ignored, as in jobs in the background
        "signal.signal(signal.SIGINT, signal.default_int_handler); signal.raise_signal(signal.SIGINT)",
        -signal.SIGINT,
    ),
    "os._exit": ("os._exit(9)", 9),
    "handler": ("atexit.register(lambda: (upload(module.array, stream), acl.rt.synchronize_stream(stream)))", 0),
    "reset": ("acl.rt.reset_device(0); acl.finalize(); sys.exit(7)", 7),
}


def status_of(steps: list[str], ending: str) -> tuple[int, str]:
    """Run such a program: its exit status, and what it printed."""
    body, _ = ENDINGS[ending]
    program = "\n".join([BEGIN, *(textwrap.dedent(STEPS[step]) for step in steps), textwrap.dedent(body)])
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_copy_from_an_array_is_left_behind(ending: str) -> None:
    assert status_of(["array"], ending)[0] == ENDINGS[ending][1]


@pytest.mark.parametrize("step", STEPS)
def test_left_behind_by_an_error(step: str) -> None:
    status, printed = status_of([step], "error")
    assert status == 1
    assert printed.endswith("RuntimeError: the end\n")


@pytest.mark.parametrize("number", range(200 if THOROUGH else 5))
def test_any_program(number: int) -> None:
    seed = random.SystemRandom().randrange(2**32)
    choice = random.Random(seed)
    steps = choice.choices([*STEPS], k=choice.randint(1, 6))
    ending = choice.choice([*ENDINGS])
    status, printed = status_of(steps, ending)
    assert status == ENDINGS[ending][1], f"seed {seed}: {steps}, {ending}\n{printed}"
