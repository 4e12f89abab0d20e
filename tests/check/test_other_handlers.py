"""Programs that have handlers of SIGSEGV of their own: the finding is told, and theirs get what is theirs."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from support.gallery import Run, run_checked

BEGIN = """
import ctypes, faulthandler, signal
from acltwin import acl
acl.init(), acl.rt.set_device(0)
"""
FOLLOW = "ctypes.string_at(block, 8)\n"
ANOTHER_CALL = "block, ret = acl.rt.malloc(64, 0)\n"
TWICE = "faulthandler.enable()\nacl.rt.get_device()\nfaulthandler.disable()\n"


def run(code: str, folder: Path) -> Run:
    return run_checked([sys.executable, "-c", code], folder, ACLTWIN_CHECK="host")


@pytest.mark.parametrize("before_the_first_call", [True, False])
def test_faulthandler(tmp_path: Path, before_the_first_call: bool) -> None:
    enable = "import faulthandler; faulthandler.enable()\n"
    begin = enable + BEGIN if before_the_first_call else BEGIN + enable
    found = run(begin + ANOTHER_CALL + FOLLOW, tmp_path)
    assert (found.status, found.ids) == (-signal.SIGSEGV, ("host.device-pointer-followed",)), found.printed
    assert found.printed.count("acltwin check: host.device-pointer-followed") == 1
    assert found.printed.count("Fatal Python error: Segmentation fault") == 1


def test_faulthandler_again_and_again(tmp_path: Path) -> None:
    found = run(BEGIN + TWICE * 20 + "faulthandler.enable()\n" + ANOTHER_CALL + FOLLOW, tmp_path)
    assert (found.status, found.ids) == (-signal.SIGSEGV, ("host.device-pointer-followed",)), found.printed
    assert found.printed.count("Fatal Python error: Segmentation fault") == 1


def test_a_fault_of_the_programs_own(tmp_path: Path) -> None:
    found = run(BEGIN + "faulthandler.enable()\n" + ANOTHER_CALL + "faulthandler._sigsegv()\n", tmp_path)
    assert (found.status, found.ids) == (-signal.SIGSEGV, ()), found.printed
    assert found.printed.count("Fatal Python error: Segmentation fault") == 1


def test_a_signal_that_somebody_sends(tmp_path: Path) -> None:
    """A handler that returns gets it, also behind ours, and the program goes on."""
    code = BEGIN + "signal.signal(signal.SIGSEGV, lambda *_: print('got it', flush=True))\n" + ANOTHER_CALL
    code += "signal.raise_signal(signal.SIGSEGV)\nimport sys; print('gone on', file=sys.stderr)\nacl.finalize()\n"
    found = run(code, tmp_path)
    assert (found.status, found.ids) == (0, ()), found.printed
    assert "gone on" in found.printed
