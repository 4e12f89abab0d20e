"""Programs and kernels that start processes: nothing stays behind, and no answer is taken for another's."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acltwin.cli import main
from support.processes import environment_for

OPERATOR = "upsample_nearest_exact2d_backward"
QUICK = ["--level", "quick", "--explain-seconds", "0"]
ONE = [*QUICK, "--only", "frac-up/float32/coded"]
MARK = "STARTED_BY_TEST"

# Answers rightly, if it is not told to hang, after it has started processes of its own.
PROGRAM = """
import json, os, pathlib, signal, subprocess, sys, time
how, inputs, output = sys.argv[1:]
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
DEAF = [sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"]
subprocess.Popen(DEAF if "deaf" in how else SLEEP)
if "daemon" in how and os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(SLEEP[0], SLEEP)
    os._exit(0)
if "closed" in how:
    os.close(1), os.close(2)
if "latin" in how:
    os.write(1, b"caf\\xe9")
if "loud" in how:
    for _ in range(200):
        os.write(1, b"x" * 2**16)
if "hangs" in how:
    time.sleep(60)
import numpy as np, acltwin
case = json.loads((pathlib.Path(inputs) / "case.json").read_text())
grad = np.load(pathlib.Path(inputs) / "grad_output.npy")
np.save(output, acltwin.upsample_nearest_exact2d_backward(grad, **case["arguments"]))
if "fails" in how:
    os.write(2, b"caf\\xe9 no tiles\\n")
    sys.exit(7)
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(MARK, str(tmp_path))
    Path("program.py").write_text(PROGRAM)


def marked() -> set[int]:
    """The processes that the running test has started, directly or not."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            variables, state = (
                (path / "environ").read_bytes(),
                (path / "stat").read_text().rpartition(")")[2].split()[0],
            )
        except OSError:
            continue
        if f"{MARK}={os.environ[MARK]}".encode() in variables.split(b"\0") and state != "Z":
            found.add(int(path.name))
    return found - {os.getpid()}


@pytest.fixture
def nothing_stays(_elsewhere: None) -> Iterator[None]:
    yield
    left = marked()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def command(how: str) -> list[str]:
    return ["verify", "--command", shlex.join([sys.executable, "program.py", how, "{inputs}", "{output}"]), OPERATOR]


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("how", ["hangs", "hangs deaf", "hangs daemon", "hangs closed daemon deaf"])
def test_what_a_program_has_started_ends_with_it(how: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command(how), *ONE, "--timeout", "1"]) == 3
    assert "no answer after 1 s; the program was ended" in capsys.readouterr().out


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("how", ["leaves a child", "daemon", "closed", "deaf daemon", "latin", "loud"])
def test_a_program_that_leaves_processes_behind_has_answered(how: str) -> None:
    start = time.monotonic()
    assert main([*command(how), *ONE, "--timeout", "60"]) == 0
    assert time.monotonic() - start < 40


@pytest.mark.usefixtures("nothing_stays")
def test_the_last_words_of_a_program_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command("fails"), *ONE]) == 3
    assert "exit status 7: caf\ufffd no tiles" in capsys.readouterr().out
    assert main(["verify", "--command", "./no-such-program {inputs}", OPERATOR, *ONE]) == 3
    assert "./no-such-program cannot be run: No such file or directory" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["'", " ", "a 'b"])
def test_a_command_that_is_none_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--command", text, OPERATOR, *ONE]) == 2
    assert f"--command is {text!r}; expected a program" in capsys.readouterr().err


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_ended_ends_its_programs(number: signal.Signals) -> None:
    """A shell lets programs in the background ignore interrupts, nohup hangups, and children inherit that."""
    start = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    start += "signal.signal(signal.SIGHUP, signal.SIG_DFL); "
    script = start + "from acltwin.cli import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", script, *command("hangs deaf daemon"), *QUICK, "--jobs", "2"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        while len(marked()) < 9:  # the run, two workers, and of each a program, a child and a daemon
            time.sleep(0.05)
        process.send_signal(number)
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 4, "interrupted before a case was done"
    assert "nothing was run" in printed
    assert Path(".acltwin/run.json").is_file()


@pytest.mark.usefixtures("nothing_stays")
def test_nothing_outlives_a_run_that_is_killed() -> None:
    words = [sys.executable, "-m", "acltwin", *command("hangs"), *QUICK]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        while len(marked()) < 4:
            time.sleep(0.05)
        process.kill()
    end = time.monotonic() + 20
    while marked() and time.monotonic() < end:
        time.sleep(0.05)


VERIFY = """
import json, sys
from acltwin import golden
from support import forking_kernels
kernel, options = getattr(forking_kernels, sys.argv[1]), json.loads(sys.argv[2])
run = golden.verify(kernel, %r, level="quick", explain_seconds=0, **options)
found = [(record.verdict.status, record.verdict.problem, record.verdict.warnings) for record in run.records]
print(json.dumps(found), flush=True)
"""


def verdicts(kernel: str, **options: Any) -> list[tuple[str, str | None, list[str]]]:
    """Of a run in a process of its own: copies of it are not copies of the test."""
    words = [sys.executable, "-c", VERIFY % OPERATOR, kernel, json.dumps(options)]
    done = subprocess.run(words, env=environment_for(), capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    return [(status, problem, warnings) for status, problem, warnings in json.loads(line)]


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("isolate", [True, False])
@pytest.mark.parametrize("kernel", ["returns_twice", "returns_twice_at_once"])
def test_a_copy_of_the_process_gives_no_answers(kernel: str, isolate: bool) -> None:
    found = verdicts(kernel, isolate=isolate)
    assert [status for status, _, _ in found] == ["passed"] * 40
    warned = [warning for _, _, warnings in found for warning in warnings]
    assert set(warned) == {"the kernel returned once more, in a copy of its process; end copies with os._exit"}
    if kernel == "returns_twice":
        assert len(warned) == 40


@pytest.mark.usefixtures("nothing_stays")
def test_a_copy_does_not_answer_in_place_of_the_process() -> None:
    found = verdicts("leaves_it_to_a_copy", only="frac-up/")
    assert {problem for _, problem, _ in found} == {"the process ended: exit status 0"}


@pytest.mark.usefixtures("nothing_stays")
def test_a_process_that_ends_is_noticed_though_a_copy_lives() -> None:
    start = time.monotonic()
    found = verdicts("ends_while_a_copy_lives", only="frac-up/float32")
    assert {problem for _, problem, _ in found} == {"the process ended: exit status 5"}
    assert time.monotonic() - start < 30


@pytest.mark.usefixtures("nothing_stays")
def test_children_of_a_kernel_that_hangs_end_with_it() -> None:
    start = time.monotonic()
    found = verdicts("hangs_with_children", only="frac-up/float32", timeout=1.0)
    assert {problem for _, problem, _ in found} == {"no answer after 1 s; the process was ended"}
    assert time.monotonic() - start < 30, "children of it kept its output open"


@pytest.mark.parametrize("kernel", ["sends_nonsense", "closes_everything"])
def test_a_kernel_that_uses_our_descriptors_has_failed(kernel: str) -> None:
    found = verdicts(kernel, only="frac-up/")
    assert {status for status, _, _ in found} == {"error"}
    assert all(str(problem).startswith("the process ") for _, problem, _ in found)
