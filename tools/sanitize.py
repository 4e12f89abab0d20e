"""Runs the tests on native code built with the compiler's sanitizers.

1. The Python suite, with the library and the extension module built for ASan and UBSan and preloaded into Python.
2. The C++ tests under ASan and UBSan, and those with threads under TSan. One of them is a stress of the ACL runtime,
   which lasts a minute under each.

``--short`` is what a merge must pass: the suites that reach the native code most directly, the pool of threads, and ten
seconds of stress under TSan.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from native_tests import ROOT, build_and_run, build_package, command

BUILD = ROOT / "build"
ADDRESS = "address,undefined"
SHORT_SUITES = ["tests/arrays", "tests/robustness", "tests/test_rules.py", "tests/acl"]
# Operators of a family share their checks and kernels; texts and type checkers reach no native code.
SHORT_OPTIONS = [
    "--one-per-family",
    "--ignore=tests/acl/test_explain.py",
    "--ignore=tests/acl/test_binding_mistakes.py",
]
# Starting processes, timing and building are not what a sanitizer looks at, and some of it cannot run below one.
LEFT_OUT = [
    "tests/bench",
    "tests/docs",
    "tests/sdk",
    "tests/cpp",
    "tests/check",
    "tests/native",
    "tests/concurrency/test_processes.py",
]


COMPILER = os.environ.get("CXX", "g++")


def output_of(*words: str, env: dict[str, str] | None = None) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, env=env).stdout.strip()


def runtime(name: str) -> str:
    """The path of the compiler's sanitizer runtime."""
    return output_of(COMPILER, f"-print-file-name={name}")


# A third of the time to compile: a sanitizer looks for mistakes at any optimisation.
LEAN = ["-DACLTWIN_ONE_LEVEL=ON", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0"]
LEAN += ["-DACLTWIN_KERNEL_OPTIMISATION=-O0"]


def run_python_suite(package: Path, short: bool) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        "LD_PRELOAD": f"{runtime('libasan.so')}:{runtime('libubsan.so')}:{runtime('libstdc++.so')}",
        # Python keeps memory until it ends, and asks for absurd amounts on purpose in the tests.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    }
    loaded = output_of(sys.executable, "-c", "from acltwin import _core; print(_core.library_path())", env=environment)
    if Path(loaded).parent != package / "acltwin":
        raise SystemExit(f"the suite would run on {loaded}, expected the sanitised library in {package}")
    suites = [*SHORT_SUITES, *SHORT_OPTIONS] if short else ["tests", *(f"--ignore={path}" for path in LEFT_OUT)]
    words = [sys.executable, "-m", "pytest", "-x", "-n", "auto", "--dist", "loadfile", *suites]
    print("$", *words, flush=True)
    subprocess.run(words, check=True, cwd=ROOT, env=environment)


def run_stress(folder: Path) -> None:
    """Threads that use and destroy the same objects. The program finds hangs, the sanitizer finds races."""
    build_and_run(folder, ["-DACLTWIN_SANITIZE=thread", *LEAN], ["door_stress"], "^door_stress$")


def run_thread_tests_alone(folder: Path) -> None:
    """The pool and teams need little of the library: they are compiled in seconds, all of it would take minutes."""
    needed = ["core/thread_pool.cpp", "core/team.cpp", "core/environment.cpp"]
    options = ["-std=c++17", "-O1", "-g", "-pthread", "-fsanitize=thread", f"-I{ROOT / 'native'}"]
    for test in ("test_thread_pool", "test_team"):
        sources = [ROOT / "native" / source for source in (f"tests/{test}.cpp", *needed)]
        command(COMPILER, *options, "-o", folder / f"sanitize-{test}", *sources)
        command(folder / f"sanitize-{test}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a few minutes: what a merge must pass")
    short = parser.parse_args().short
    os.environ["ACLTWIN_STRESS_SECONDS"] = "10" if short else "60"
    print("-- ASan and UBSan: building the package", flush=True)
    folder = BUILD / ("sanitize-address-short" if short else "sanitize-address")
    options = LEAN if short else ["-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
    package = build_package(folder, [f"-DACLTWIN_SANITIZE={ADDRESS}", *options])
    print("-- ASan and UBSan: the Python suite", flush=True)
    run_python_suite(package, short)
    if short:
        print("-- TSan: the pool of threads, and those of other libraries", flush=True)
        run_thread_tests_alone(BUILD)
        print("-- TSan: the ACL runtime", flush=True)
        run_stress(BUILD / "sanitize-thread-short")
    else:
        print("-- ASan and UBSan: the C++ tests", flush=True)
        build_and_run(folder, [])
        print("-- TSan: the C++ tests", flush=True)
        build_and_run(BUILD / "sanitize-thread", ["-DACLTWIN_SANITIZE=thread"])
    print("-- no sanitizer has complained", flush=True)


if __name__ == "__main__":
    main()
