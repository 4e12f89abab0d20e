"""A CPU that lacks the instructions of every level gets a message, not an illegal instruction."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from acltwin import _core

EMULATOR = shutil.which("qemu-x86_64")
pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="there is one level on other machines, and all have it"),
    pytest.mark.skipif(EMULATOR is None, reason="qemu-x86_64 is not installed (qemu-user on Debian)"),
]

# The extension module alone: the package imports NumPy, which has needs of its own.
IMPORT = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("acltwin._core", sys.argv[1])
try:
    print(importlib.util.module_from_spec(spec).__name__)
except ImportError as error:
    print("ImportError:", error)
"""


def output_on(cpu: str) -> str:
    module = Path(str(_core.__file__))
    words = [str(EMULATOR), "-cpu", cpu, Path(sys.executable).resolve(), "-S", "-c", IMPORT, module]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=600).stdout.strip()


def test_a_cpu_below_every_level_is_refused() -> None:
    message = output_on("core2duo")
    assert message.startswith("ImportError: acltwin: this CPU lacks instructions of x86-64-v2"), message
    assert "expected" in message


def test_the_oldest_cpu_of_a_level_is_not() -> None:
    assert output_on("Nehalem") == "acltwin._core"
