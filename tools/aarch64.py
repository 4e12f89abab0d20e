"""Builds the library and its C++ tests for aarch64 and runs the tests on an emulated CPU.

    python tools/aarch64.py [--short]

It needs a cross compiler and an emulator; on Debian, apt-get install g++-aarch64-linux-gnu qemu-user. ``--short``
builds everything but runs only what differs from other machines: conversions, and one kernel of each kind of store.
"""

from __future__ import annotations

import argparse
import shutil
import sys

from native_tests import ROOT, build_and_run

COMPILER, EMULATOR, LIBRARIES = "aarch64-linux-gnu-g++", "qemu-aarch64", "/usr/aarch64-linux-gnu"
SHORT = "test_short_floats|test_scatter_path|test_scatter_copy|test_interval_table"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="run a few of the tests")
    short = parser.parse_args().short
    for program in (COMPILER, EMULATOR):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not installed; on Debian, apt-get install g++-aarch64-linux-gnu qemu-user")
    options = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", f"-DCMAKE_CXX_COMPILER={COMPILER}"]
    options += [f"-DCMAKE_CROSSCOMPILING_EMULATOR={EMULATOR};-L;{LIBRARIES}"]
    build_and_run(ROOT / "build" / "aarch64", options, pattern=SHORT if short else "")


if __name__ == "__main__":
    main()
