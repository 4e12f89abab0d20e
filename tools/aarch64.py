"""Builds the library and its C++ tests for aarch64 and runs the tests on an emulated CPU.

    python tools/aarch64.py [--short]

It needs a cross compiler and an emulator; on Debian, apt-get install g++-aarch64-linux-gnu qemu-user. ``--short``
builds and runs only what differs from other machines: conversions, one kernel, and one program from end to end.
"""

from __future__ import annotations

import argparse

from native_tests import ROOT, build_and_run, need

COMPILER, EMULATOR, LIBRARIES = "aarch64-linux-gnu-g++", "qemu-aarch64", "/usr/aarch64-linux-gnu"
SHORT = ["inside_short_floats", "inside_scatter_copy", "inside_interval_table", "example_two_phases"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a few of the tests; nothing where the tools are missing")
    short = parser.parse_args().short
    need([COMPILER, EMULATOR], "on Debian, apt-get install g++-aarch64-linux-gnu qemu-user", short)
    options = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", f"-DCMAKE_CXX_COMPILER={COMPILER}"]
    options += [f"-DCMAKE_CROSSCOMPILING_EMULATOR={EMULATOR};-L;{LIBRARIES}"]
    folder = ROOT / "build" / "aarch64"
    if short:
        build_and_run(folder, options, SHORT, "|".join(f"^{name}$" for name in SHORT))
    else:
        build_and_run(folder, options)


if __name__ == "__main__":
    main()
