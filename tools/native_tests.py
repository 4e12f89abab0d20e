"""Builds and runs the C++ tests of native/tests, in the folder where pip has built the library already.

    python tools/native_tests.py [BUILD_FOLDER [CMAKE_OPTION ...]]

With a folder of its own and options, such as -DACLTWIN_SANITIZE=thread, it builds and runs the programs of tests/cpp
and examples/cpp, too: the ordinary tests have these from pytest, which builds them as users do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command(*words: str | Path) -> None:
    print("$", *words, flush=True)
    subprocess.run(words, check=True)


def need(programs: Sequence[str], hint: str, short: bool) -> None:
    """Ends here if a program is not installed: with status 1, or in a short run with a line that says so."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        text = f"{Path(sys.argv[0]).name} was not run: it needs {', '.join(missing)}; {hint}"
        if not short:
            sys.exit(text)
        print(f"-- {text}", flush=True)
        sys.exit(0)


def pip_build_folder() -> Path:
    """Where scikit-build-core builds the wheel; a folder of our own if it has not."""
    folders = sorted((ROOT / "build").glob("*/build.ninja"), key=lambda file: file.stat().st_mtime)
    wheels = [file.parent for file in folders if "abi3" in file.parent.name]
    return wheels[-1] if wheels else ROOT / "build" / "native-tests"


def build_and_run(
    folder: Path, options: Sequence[str], targets: Sequence[str] = ("native_tests",), pattern: str = ""
) -> None:
    """Configures where needed, builds the targets, and runs the tests whose name matches the pattern."""
    scripts = Path(sys.executable).parent
    cmake, ctest = scripts / "cmake", scripts / "ctest"
    if options or not (folder / "build.ninja").exists():
        ninja = f"-DCMAKE_MAKE_PROGRAM={scripts / 'ninja'}"
        command(cmake, "-S", ROOT, "-B", folder, "-G", "Ninja", ninja, *options)
    cores = str(len(os.sched_getaffinity(0)))
    command(cmake, "--build", folder, "-j", cores, "--target", *targets)
    command(ctest, "--test-dir", folder, "--output-on-failure", "--no-tests=error", "-j", cores, "-R", pattern)


def build_package(folder: Path, options: Sequence[str], source: Path = ROOT) -> Path:
    """The package with native code built with these options, as a folder for PYTHONPATH."""
    scripts = Path(sys.executable).parent
    always = [f"-DPython_EXECUTABLE={sys.executable}", f"-DCMAKE_MAKE_PROGRAM={scripts / 'ninja'}", "-DSKBUILD=ON"]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    always += [f"-DSKBUILD_PROJECT_VERSION={version}", f"-DCMAKE_INSTALL_PREFIX={folder / 'package'}"]
    command(scripts / "cmake", "-S", source, "-B", folder, "-G", "Ninja", *always, *options)
    command(scripts / "cmake", "--build", folder, "-j", "2")
    shutil.rmtree(folder / "package", ignore_errors=True)
    command(scripts / "cmake", "--install", folder)
    python_files = shutil.ignore_patterns("*.so", "__pycache__")  # a developer's own build may lie beside the sources
    shutil.copytree(source / "src" / "acltwin", folder / "package" / "acltwin", dirs_exist_ok=True, ignore=python_files)
    return folder / "package"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        build_and_run(Path(sys.argv[1]), sys.argv[2:])
    else:
        build_and_run(pip_build_folder(), [], ["inside_tests"], "^inside_")
