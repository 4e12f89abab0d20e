"""Programs that use PyTorch, each in a process of its own that need not load it: a fork of one that has.

Nothing of acltwin is loaded there, and no thread was started, so a program cannot tell; only its environment must not
change what PyTorch decides while it is loaded.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from support.processes import environment_for

cpu_seconds = [0.0]  # of all programs so far
# A request is a line with the program, its environment, its time and a file for its output. The fork leaves the loop.
SERVER = """
import json, os, signal, sys
import numpy, torch
for line in sys.stdin:
    code, environment, seconds, folder = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    _, status, used = os.wait4(child, 0)
    print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, flush=True)
else:
    sys.exit()
signal.alarm(seconds)
for number, name in ((0, os.devnull), (1, folder + "/out"), (2, folder + "/error")):
    file = os.open(name, os.O_RDWR | os.O_CREAT)
    os.dup2(file, number)
    os.close(file)
sys.stdin = open(0, closefd=False)
os.environ.clear()
os.environ.update(environment)
exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
"""


@functools.cache
def _server() -> subprocess.Popen[str]:
    words = [sys.executable, "-c", SERVER]
    return subprocess.Popen(words, env=environment_for(), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def run_with_pytorch(
    code: str, environment: Mapping[str, str] | None = None, timeout: int = 300
) -> subprocess.CompletedProcess[str]:
    """As ``run_python``. A program that is not done in time is ended by SIGALRM, unless it uses that itself."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps([code, environment_for(environment), timeout, folder]), file=server.stdin, flush=True)
        status, seconds = server.stdout.readline().split()
        cpu_seconds[0] += float(seconds)
        printed = [(Path(folder) / name).read_text() for name in ("out", "error")]
    return subprocess.CompletedProcess([sys.executable, "-c", code], int(status), *printed)


def output_with_pytorch(code: str, environment: Mapping[str, str] | None = None, timeout: int = 300) -> str:
    done = run_with_pytorch(code, environment, timeout)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
