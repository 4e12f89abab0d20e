"""Builds and runs the C++ tests of native/tests, in the folder where pip has built the library already.

    python tools/native_tests.py [BUILD_FOLDER [CMAKE_OPTION ...]]

With a folder of its own and options, such as -DACLTWIN_SANITIZE=thread, it serves the sanitizers too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command(*words: str | Path) -> None:
    print("$", *words, flush=True)
    subprocess.run(words, check=True)


def pip_build_folder() -> Path:
    """Where scikit-build-core builds the wheel; a folder of our own if it has not."""
    folders = sorted((ROOT / "build").glob("*/build.ninja"), key=lambda file: file.stat().st_mtime)
    wheels = [file.parent for file in folders if "abi3" in file.parent.name]
    return wheels[-1] if wheels else ROOT / "build" / "native-tests"


def build_and_run(folder: Path, options: list[str], target: str = "native_tests", pattern: str = "") -> None:
    """Configures where needed, builds all tests or one of them, and runs those whose name matches the pattern."""
    scripts = Path(sys.executable).parent
    cmake, ctest = scripts / "cmake", scripts / "ctest"
    if options or not (folder / "build.ninja").exists():
        ninja = f"-DCMAKE_MAKE_PROGRAM={scripts / 'ninja'}"
        command(cmake, "-S", ROOT, "-B", folder, "-G", "Ninja", ninja, *options)
    cores = str(len(os.sched_getaffinity(0)))
    command(cmake, "--build", folder, "--target", target, "-j", cores)
    command(ctest, "--test-dir", folder, "--output-on-failure", "-j", cores, "-R", pattern)


if __name__ == "__main__":
    build_and_run(Path(sys.argv[1]) if len(sys.argv) > 1 else pip_build_folder(), sys.argv[2:])
