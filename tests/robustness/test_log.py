"""Why a call was refused: printed with ACLTWIN_LOG=1 or the vendor's variable, and a function for debuggers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from support.processes import run_python

PROGRAM = """
from acltwin import acl
print(acl.rt.set_device(99))
"""
SENTENCE = "aclrtSetDevice: deviceId is 99"


@pytest.mark.parametrize("variable", ["ACLTWIN_LOG", "ASCEND_SLOG_PRINT_TO_STDOUT"])
def test_each_refusal_is_printed(variable: str) -> None:
    done = run_python(PROGRAM, {variable: "1"})
    (line,) = done.stderr.splitlines()
    assert line.startswith("acltwin: AclNN_"), line
    assert SENTENCE in line
    assert line.endswith(f"[{done.stdout.strip()}]")


@pytest.mark.parametrize("variables", [{}, {"ACLTWIN_LOG": "0"}, {"ASCEND_SLOG_PRINT_TO_STDOUT": "0"}])
def test_silent_unless_asked(variables: dict[str, str]) -> None:
    assert run_python(PROGRAM, variables).stderr == ""


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs gdb")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="gdb itself would load the sanitizer")
def test_a_debugger_stops_at_the_refused_call() -> None:
    commands = ["set breakpoint pending on", "break acltwin_refused", "run"]
    done = subprocess.run(
        ["gdb", "-q", "-batch", *(f"-ex={command}" for command in commands), "--args", sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert re.search(r"Breakpoint 1, .*acltwin_refused", done.stdout), done.stdout + done.stderr
