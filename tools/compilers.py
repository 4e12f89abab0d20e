"""Builds the native code in ways in which nobody installs it, to see what the usual build cannot.

    python tools/compilers.py [--short]

1. gcc with link-time optimisation, which compares the definitions of all files: two types of one name with different
   members are an error (-Wodr).
2. clang, with the warnings of the usual build. ``--short`` does this alone, and only where clang is installed.

Nothing is optimised and nothing is run, so each takes a minute or two.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from native_tests import ROOT, command, need

GCC, CLANG = os.environ.get("GCC", "g++"), os.environ.get("CLANG", "clang++")


def build(name: str, compiler: str, flags: str, link_flags: str = "") -> None:
    scripts, folder = Path(sys.executable).parent, ROOT / "build" / f"compiler-{name}"
    options = [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={flags}", "-DCMAKE_BUILD_TYPE=None"]
    options += [f"-DCMAKE_SHARED_LINKER_FLAGS={link_flags}", "-DACLTWIN_KERNEL_OPTIMISATION=-O0"]
    options += ["-DSKBUILD=ON", "-DSKBUILD_PROJECT_VERSION=0", f"-DPython_EXECUTABLE={sys.executable}"]
    options += [f"-DCMAKE_MAKE_PROGRAM={scripts / 'ninja'}"]
    command(scripts / "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *options)
    command(scripts / "cmake", "--build", folder, "-j", str(os.cpu_count()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="clang alone; nothing where it is missing")
    short = parser.parse_args().short
    need([CLANG] if short else [GCC, CLANG], "install it, or name another one with GCC=... or CLANG=...", short)
    if not short:
        print("-- gcc: one definition of every type", flush=True)
        build("lto", GCC, "-O0 -flto", f"-flto={os.cpu_count()} -Wodr -Wlto-type-mismatch -Werror")
    print("-- clang: everything", flush=True)
    build("clang", CLANG, "-O0")
    print("-- no compiler has complained", flush=True)


if __name__ == "__main__":
    main()
