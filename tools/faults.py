"""Puts known faults into a copy of the library, one at a time, and asks whether the tests notice.

    python tools/faults.py [NAME ...] [--look-only] [--record FILE.json] [--page]

A fault is an entry of tools/faults/*.toml: the text of a source file that becomes another one, as a careless change
would have it. Native code is built once with all of them, and the environment variable PLANTED_FAULT chooses one by its
number at run time; a Python fault is put into a copy of the package. Nothing of this is in the sources or in a wheel.

    says       what users would notice
    file       where it is
    right      the text, which occurs once in the file; in C++ an expression, or with `statement = true` a statement
    wrong      what it becomes
    look       tests to run first: C++ tests, files or folders. If none of them fails, all tests run

A test that fails has noticed the fault if it passes without. The exit status is 1 if a fault was not noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from native_tests import ROOT, build_package, command

CATALOGUE = ROOT / "tools" / "faults"
BEFORE = CATALOGUE / "before.json"  # what noticed them at commit 30a4a0b, before the tests were made quicker
PAGE = ROOT / "docs" / "development" / "faults.md"
BUILD = ROOT / "build" / "faults"
SOURCE = BUILD / "source"
MINUTES = 30  # for one run of tests, in which a fault may make them wait for ever
HEADER = """#pragma once
#include <cstdlib>
namespace acltwin {
inline const int planted_fault = std::getenv("PLANTED_FAULT") != nullptr ? std::atoi(std::getenv("PLANTED_FAULT")) : 0;
}
"""


@dataclass(frozen=True)
class Fault:
    name: str
    number: int
    says: str
    file: str
    right: str
    wrong: str
    look: Sequence[str]
    statement: bool = False

    @property
    def is_native(self) -> bool:
        return self.file.startswith("native/")

    def planted(self, text: str) -> str:
        """The file's text with the fault in it; in native code beside what is right."""
        if text.count(self.right) != 1:
            raise SystemExit(
                f"{self.name}: {self.right!r} is {text.count(self.right)} times in {self.file}, expected 1"
            )
        if not self.is_native:
            return text.replace(self.right, self.wrong)
        chosen = f"(::acltwin::planted_fault == {self.number})"
        if self.statement:
            both = f"if {chosen} {{ {self.wrong} }} else {{ {self.right} }}"
            return text.replace(self.right, f"{{ {both} }}")  # one statement, also below an `if`
        return text.replace(self.right, f"({chosen} ? ({self.wrong}) : ({self.right}))")


def catalogue() -> list[Fault]:
    entries = [entry for file in sorted(CATALOGUE.glob("*.toml")) for entry in tomllib.loads(file.read_text()).items()]
    return [Fault(name, number, **fields) for number, (name, fields) in enumerate(entries, 1)]


def plant(faults: Iterable[Fault], folder: Path) -> None:
    """Into the files of a folder that is laid out like the repository."""
    for fault in faults:
        path = folder / fault.file
        path.write_text(fault.planted(path.read_text()))


# ---- building ----


def copy_changed(source: Path, target: Path) -> None:
    """Like copytree, but files with the same text keep their time, and are not compiled again."""
    wanted = {path.relative_to(source): path for path in source.rglob("*") if path.is_file()}
    for path in [path for path in target.rglob("*") if path.is_file() and path.relative_to(target) not in wanted]:
        path.unlink()
    for name, path in wanted.items():
        there = target / name
        if not there.exists() or there.read_bytes() != path.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, there)


def build(faults: Sequence[Fault]) -> Path:
    """The package whose native code has all faults, none of them chosen."""
    fresh = BUILD / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    without = shutil.ignore_patterns("__pycache__", "*.so")
    for folder in ("native", "src", "tests/cpp", "examples/cpp"):
        shutil.copytree(ROOT / folder, fresh / folder, ignore=without)
    shutil.copyfile(ROOT / "CMakeLists.txt", fresh / "CMakeLists.txt")
    plant((fault for fault in faults if fault.is_native), fresh)
    (fresh / "planted_fault.h").write_text(HEADER)
    copy_changed(fresh, SOURCE)
    flags = [f"-DCMAKE_CXX_FLAGS=-include {SOURCE / 'planted_fault.h'}", "-DACLTWIN_KERNEL_OPTIMISATION=-O1"]
    package = build_package(BUILD / "native", flags, SOURCE)
    command(Path(sys.executable).parent / "cmake", "--build", BUILD / "native", "-j", "2", "--target", "inside_tests")
    return package


# ---- running ----


@dataclass(frozen=True)
class Outcome:
    noticed_by: str  # a test, or nothing
    seconds: float


class Runner:
    """Runs tests with one fault, or with none."""

    def __init__(self, package: Path, fault: Fault | None) -> None:
        self._fault, self._package = fault, package
        if fault is not None and not fault.is_native:
            self._package = BUILD / "python" / fault.name
            shutil.rmtree(self._package, ignore_errors=True)
            shutil.copytree(package, self._package / "src", ignore=shutil.ignore_patterns("__pycache__"))
            plant([fault], self._package)
            self._package /= "src"

    def _run(self, *words: str | Path) -> tuple[int, str]:
        """Its exit status, and what it prints."""
        number = self._fault.number if self._fault is not None and self._fault.is_native else 0
        environment = {**os.environ, "PYTHONPATH": str(self._package), "PLANTED_FAULT": str(number)}
        process = subprocess.Popen(
            words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True,
        )  # fmt: skip
        try:
            printed = process.communicate(timeout=60 * MINUTES)[0]
            return process.returncode, printed
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own: this process and its children
            process.communicate()
            return 1, f"FAILED {words[-1]}: no end after {MINUTES} minutes\n"

    def native_failure(self, *tests: str) -> str:
        """Of these C++ tests, or of all."""
        names = [Path(test).stem.removeprefix("test_") for test in tests]
        pattern = f"^inside_({'|'.join(names)})$" if names else "^inside_"
        ctest = Path(sys.executable).parent / "ctest"
        status, printed = self._run(
            ctest, "--test-dir", BUILD / "native", "-R", pattern, "--stop-on-failure", "-j", "2"
        )
        failed = re.search(r"\d+ - inside_(\w+) \(", printed)  # in the list at the end
        if status != 0 and failed is None:
            raise SystemExit(f"ctest could not be run:\n{printed}")
        return f"native/tests/test_{failed[1]}.cpp" if failed else ""

    def python_failure(self, *tests: str, workers: int = 1) -> str:
        options = ["-x", "--no-header", "--tb=no", "-rfE", "-n", str(workers), "--max-worker-restart=0"]
        status, printed = self._run(sys.executable, "-m", "pytest", *options, "--dist", "loadfile", *tests)
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", printed, re.MULTILINE)
        if status != 0 and failed is None:
            raise SystemExit(f"the tests could not be run:\n{printed[-5000:]}")
        return failed[1] if failed else ""

    def first_failure(self, look: Sequence[str], everywhere: bool) -> str:
        """Of the tests where to look first, then perhaps of all."""
        programs = [test for test in look if test.endswith(".cpp")]
        others = [test for test in look if not test.endswith(".cpp")]
        return (
            (programs and self.native_failure(*programs))
            or (others and self.python_failure(*others))
            or (everywhere and (self.native_failure() or self.python_failure(workers=2)))
            or ""
        )


def try_out(package: Path, faults: Sequence[Fault], everywhere: bool, record: Path | None) -> dict[str, Outcome]:
    outcomes = {}
    for fault in faults:
        begin = time.monotonic()
        found = Runner(package, fault).first_failure(fault.look, everywhere)
        outcomes[fault.name] = Outcome(found, time.monotonic() - begin)
        print(f"{fault.name}: {found or 'NOT NOTICED'} ({outcomes[fault.name].seconds:.0f} s)", flush=True)
        if record is not None:
            known = json.loads(record.read_text()) if record.exists() else {}
            record.write_text(json.dumps({**known, fault.name: found}, indent=1) + "\n")
    return outcomes


def fail_anyway(package: Path, tests: Iterable[str]) -> str:
    """The first of these tests that fails without a fault, which then says nothing about one."""
    runner, native = Runner(package, None), [test for test in tests if test.endswith(".cpp")]
    others = [test for test in tests if test and test not in native]
    return (native and runner.native_failure(*native)) or (others and runner.python_failure(*others, workers=2)) or ""


def write_page(faults: Sequence[Fault], noticed: Mapping[str, str]) -> None:
    """The table of what notices each fault, beside what did before the tests were made quicker."""

    def in_words(found: str | None) -> str:
        return "not tried" if found is None else f"`{found.partition('::')[0]}`" if found else "**nothing**"

    before = json.loads(BEFORE.read_text())
    rows = [
        f"| {fault.says} | `{fault.file}` | {in_words(before.get(fault.name))} | `{noticed[fault.name]}` |"
        for fault in faults
    ]
    table = "\n".join(["| fault | in | noticed before by | now by |", "|---|---|---|---|", *rows])
    begin, end = "<!-- table -->\n", "<!-- end of the table -->"
    text = PAGE.read_text()
    PAGE.write_text(f"{text.partition(begin)[0]}{begin}{table}\n{end}{text.partition(end)[2]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults to try; by default all of them")
    parser.add_argument("--record", type=Path, help="a JSON file to add what was found to")
    parser.add_argument("--page", action="store_true", help=f"write what was found into {PAGE.relative_to(ROOT)}")
    parser.add_argument("--look-only", action="store_true", help="run no other tests than those where to look first")
    parser.add_argument("--build-only", action="store_true")
    options = parser.parse_args()
    faults = catalogue()
    unknown = set(options.names) - {fault.name for fault in faults}
    if unknown:
        parser.error(f"no fault is called {', '.join(sorted(unknown))}")
    chosen = [fault for fault in faults if not options.names or fault.name in options.names]
    package = build(faults)
    if options.build_only:
        return
    outcomes = try_out(package, chosen, not options.look_only, options.record)
    useless = fail_anyway(package, dict.fromkeys(outcome.noticed_by for outcome in outcomes.values()))
    if useless:
        raise SystemExit(f"{useless} fails without a fault as well")
    missed = [name for name, outcome in outcomes.items() if not outcome.noticed_by]
    print(f"{len(outcomes) - len(missed)} of {len(outcomes)} faults noticed")
    if options.page and not missed and len(chosen) == len(faults):
        write_page(faults, {name: outcome.noticed_by for name, outcome in outcomes.items()})
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
