"""The command as a whole; its subcommands are tested with what they do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import acltwin
from acltwin import _core, cli
from support.processes import run_python


def test_no_command_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("usage: acltwin")
    assert all(f"\n    {name} " in printed for name in cli.COMMANDS)


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"acltwin {acltwin.__version__}\n"


def test_a_full_disk_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "acltwin", "explain", "161002"], stdout=full, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (1, b"acltwin: cannot write the output: no space is left there\n")


def test_the_documented_cases_are_run_without_a_warning() -> None:
    done = run_python("from acltwin.cli import main; main(['run'])", {"PYTHONWARNINGS": "always"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "FAILED" not in done.stdout


@pytest.mark.parametrize("words", [("explain",), ("info", "--json"), ("run",)])
def test_a_reader_that_leaves_early_is_no_error(words: tuple[str, ...]) -> None:
    """As in ``acltwin explain | head -1``."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "acltwin", *words], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (cli.READER_LEFT, "")


@pytest.mark.parametrize("name", ["ACLTWIN_NUM_THREAD", "ACLTWIN_NUMTHREADS", "acltwin_num_threads"])
def test_a_misspelt_variable_is_warned_about_once(name: str) -> None:
    code = "import acltwin; from acltwin import acl; acl.init()"
    warned = run_python(code, {name: "1"}).stderr
    assert warned.count("RuntimeWarning: acltwin: the environment variable") == 1
    assert f"{name} is not one that acltwin knows" in warned
    assert "did you mean ACLTWIN_NUM_THREADS?" in warned
    assert warned.count("ACLTWIN_NUM_THREADS?") == 1


def test_a_program_in_c_is_warned_on_stderr() -> None:
    load = f"import ctypes; lib = ctypes.CDLL({_core.library_path()!r})"
    code = f"{load}; lib.aclInit(None); lib.aclFinalize(); lib.aclInit(None)"
    warned = run_python(code, {"ACLTWIN_PROFIL": "device"}).stderr
    assert warned.startswith("acltwin: warning: the environment variable ACLTWIN_PROFIL is not one that acltwin knows")
    assert warned.count("did you mean ACLTWIN_PROFILE?") == 1


def test_known_variables_bring_no_warning() -> None:
    known = {"ACLTWIN_NUM_THREADS": "1", "ACLTWIN_SOC": "Ascend950", "ACLTWIN_CHECK": "0", "ACLTWIN_LIBRARY": ""}
    assert run_python("import acltwin", known).stderr == ""
