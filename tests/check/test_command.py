"""``acltwin check``: exit statuses, the document, suppressions, signals, and requests that cannot be met."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.gallery import FOLDER

LEAK = FOLDER / "wrong" / "leak.py"
RACE = FOLDER / "wrong" / "race.py"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(FOLDER)}
PYTHON = sys.executable


def check(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, "-m", "acltwin", "check", *map(str, words)]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)


def test_a_program_without_findings() -> None:
    done = check(PYTHON, LEAK, "leaked_array", "fixed")
    assert (done.returncode, done.stderr) == (0, "acltwin check: no findings\n")


def test_a_finding_tells_what_where_and_how_to_fix_it() -> None:
    done = check("--", PYTHON, RACE, "copy_before_synchronize")
    assert done.returncode == 1
    first, what, *labelled, fix, summary = done.stderr.splitlines()
    assert first == "acltwin check: race.kernel-and-copy"
    assert what.startswith("  aclrtMemcpy reads bytes that aclnnUpsampleNearest3dBackward may still be writing")
    assert any("malloc" in line and "gallery.py:" in line for line in labelled)
    assert any("launch" in line and "gallery.py:" in line for line in labelled)
    assert fix.split()[0] == "fix"
    assert "aclrtSynchronizeStream" in fix
    assert summary == "acltwin check: 1 finding (1 race)"


def test_the_exit_status_for_findings_can_be_chosen() -> None:
    assert check("--error-exitcode", "77", PYTHON, LEAK, "leaked_array").returncode == 77
    assert check("--error-exitcode", "0", PYTHON, LEAK, "leaked_array").returncode == 0


def test_the_programs_own_failure_comes_first() -> None:
    code = "import sys; from acltwin import acl; acl.create_int_array((1,)); sys.exit(5)"
    done = check(PYTHON, "-c", code)
    assert done.returncode == 5
    assert done.stderr.splitlines()[0] == "acltwin check: the program failed (status 5) and left 1 array"
    code = "import os; from acltwin import acl; acl.create_int_array((1,)); os.kill(os.getpid(), 9)"
    assert check(PYTHON, "-c", code).returncode == 128 + 9


def test_the_document(tmp_path: Path) -> None:
    file = tmp_path / "findings.json"
    done = check("--json", file, PYTHON, LEAK, "leaked_tensor")
    document = json.loads(file.read_text())
    assert list(document) == ["version", "program", "exit", "findings", "summary"]
    assert (document["version"], document["exit"], done.returncode) == (1, 0, 1)
    assert document["program"] == [PYTHON, str(LEAK), "leaked_tensor"]
    assert document["summary"] == {"findings": 1, "leak": 1}
    (finding,) = document["findings"]
    assert (finding["id"], finding["kind"], finding["count"]) == ("leak.tensor", "leak", 1)
    assert {"what", "object", "calls", "fix"} <= set(finding)
    frames = finding["object"]["made_by"]["site"]
    assert any(frame.get("function") == "leaked_tensor" and frame["file"].endswith("leak.py") for frame in frames)


def test_what_happens_again_is_counted(tmp_path: Path) -> None:
    code = """
import ctypes
from acltwin import acl
acl.init(), acl.rt.set_device(0)
block, size = acl.rt.malloc(64, 0)[0], 64
target = ctypes.create_string_buffer(size)
for _ in range(3):
    acl.rt.memcpy(ctypes.addressof(target), size, block, size, 2)
acl.rt.free(block), acl.rt.reset_device(0), acl.finalize()
"""
    file = tmp_path / "findings.json"
    done = check("--json", file, PYTHON, "-c", code)
    assert done.stderr.count("acltwin check: init.copy-reads-unwritten") == 1
    (finding,) = json.loads(file.read_text())["findings"]
    assert (finding["id"], finding["count"]) == ("init.copy-reads-unwritten", 3)


def test_blocks_are_aligned_as_they_are_without_it() -> None:
    code = """
from acltwin import acl
acl.init(), acl.rt.set_device(0)
blocks = [acl.rt.malloc(size, 0)[0] for size in (1, 100, 5000, 4 << 20, 1)]
assert all(block % 512 == 0 for block in blocks), blocks
for block in blocks:
    acl.rt.free(block)
acl.rt.reset_device(0), acl.finalize()
"""
    assert check(PYTHON, "-c", code).stderr == "acltwin check: no findings\n"


def test_only_some_kinds() -> None:
    assert check("--only", "race,init", PYTHON, LEAK, "leaked_array").returncode == 0
    assert check("--only", "race,leak", PYTHON, LEAK, "leaked_array").returncode == 1


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("leak.array", 0),
        ("leak.*", 0),
        ("leak.array function=leaked_*", 0),
        ("leak.* file=*/leak.py  # known", 0),
        ("leak.array function=other", 1),
        ("leak.tensor", 1),
        ("# leak.array", 1),
    ],
)
def test_suppressions(tmp_path: Path, line: str, status: int) -> None:
    known = tmp_path / "known.txt"
    known.write_text(line + "\n")
    assert check("--suppress", known, PYTHON, LEAK, "leaked_array").returncode == status


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "no program is named"),
        (["--"], "no program is named"),
        (["./not-there"], "'./not-there' does not exist"),
        (["no-such-program"], "'no-such-program' is neither in PATH nor in this directory"),
        ([str(FOLDER)], "is a directory"),
        ([str(LEAK)], "run it with Python: acltwin check python"),
        (["--only", "rase", "true"], "--only has 'rase', expected a list of race, init, bounds, host, leak, use"),
        (["--only", "", "true"], "--only has ''"),
        (["--suppress", "not-there.txt", "true"], "--suppress 'not-there.txt' cannot be read: No such file"),
        (["--json", "/dev/null/findings.json", "true"], "cannot be written: /dev/null is not a directory"),
        (["--error-exitcode", "256", "true"], "--error-exitcode is '256', expected a number from 0 to 255"),
        (["--error-exitcode", "one", "true"], "--error-exitcode is 'one'"),
        (["true"], "'true' has ended without using acltwin's library: nothing was checked"),
    ],
)
def test_a_request_that_cannot_be_met(words: list[str], sentence: str) -> None:
    done = check(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("acltwin check: ")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_program_that_is_no_program(tmp_path: Path) -> None:
    file = tmp_path / "garbage"
    file.write_bytes(b"\0\1\2")
    file.chmod(0o755)
    done = check(file)
    assert done.returncode == 2
    assert "cannot be executed: Exec format error" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_reach_the_program(number: signal.Signals) -> None:
    code = f"""
import signal, sys, time
signal.signal({int(number)}, lambda *_: sys.exit(9))
print("ready", flush=True)
time.sleep(60)
"""
    words = [PYTHON, "-m", "acltwin", "check", PYTHON, "-c", code]
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout as printed:
        assert printed.readline() == "ready\n"
    time.sleep(0.1)
    child.send_signal(number)
    assert child.wait(timeout=60) == 9


def test_help_has_examples() -> None:
    done = check("--help")
    assert done.returncode == 0
    for words in ("acltwin check ./pool", "acltwin check python train.py", "--only race,init", "acltwin explain race."):
        assert words in done.stdout
