"""What every specialisation of the kernels earns: its rows with it and without it, in turns, in one process.

    python tools/ablate.py [--filter LETTERS] [--rounds N] [--level x86-64-v2] [--json FILE] [--build-only]

Builds the library once more with the switches of native/kernels/ablate.h, puts it into a copy of the installed package,
and lets benchmarks/ablation.py print a table.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import acltwin

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "ablate"
PACKAGE = BUILD / "site" / "acltwin"


def command(*words: str | Path) -> None:
    print("$", *words, file=sys.stderr, flush=True)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def build() -> None:
    scripts = Path(sys.executable).parent
    ninja = f"-DCMAKE_MAKE_PROGRAM={scripts / 'ninja'}"
    command(scripts / "cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", ninja, "-DACLTWIN_ABLATE=ON")
    command(scripts / "cmake", "--build", BUILD, "--target", "acltwin")
    shutil.copytree(Path(acltwin.__file__).parent, PACKAGE, dirs_exist_ok=True)
    shutil.copy2(BUILD / "libacltwin.so", PACKAGE)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--level", help="the instruction-set level, such as x86-64-v2; by default the machine's best")
    own, others = parser.parse_known_args()  # the others are the measurement's
    build()
    if own.build_only:
        return
    paths = os.pathsep.join(map(str, (PACKAGE.parent, ROOT / "benchmarks")))
    level = {"ACLTWIN_ISA": own.level} if own.level else {}
    measurement = [sys.executable, str(ROOT / "benchmarks" / "ablation.py"), *others]
    subprocess.run(measurement, check=True, env=os.environ | {"PYTHONPATH": paths} | level)


if __name__ == "__main__":
    main()
