"""The gallery of check mode: which programs there are, what each must give, and how one is run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.sdk_tree import ROOT, STRICT, compile_program

FOLDER = ROOT / "tests" / "check"
# The line with what a program gives, and the function below it.
LISTED = re.compile(r"^(?://|#) finds: (.+)\n(?:PROGRAM\((\w+)\)|def (\w+)\(fixed)", re.MULTILINE)
ADDRESS = re.compile(r"0x[0-9a-f]+")


@dataclass(frozen=True)
class Program:
    name: str
    source: Path
    finds: tuple[str, ...]  # in alphabetical order; empty for a right program

    @property
    def is_wrong(self) -> bool:
        return bool(self.finds)

    @property
    def language(self) -> str:
        return "C++" if self.source.suffix == ".cpp" else "Python"

    @property
    def label(self) -> str:
        return f"{self.name} ({self.language})"


@dataclass(frozen=True)
class Run:
    status: int  # negative: the signal that has ended the program
    printed: str  # standard error
    findings: list[dict[str, Any]]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(sorted({finding["id"] for finding in self.findings}))

    @property
    def story(self) -> list[str]:
        """The findings without what may differ from run to run: addresses."""
        return [ADDRESS.sub("0x", json.dumps(finding, sort_keys=True)) for finding in self.findings]


def programs_of(source: Path) -> list[Program]:
    found = []
    for ids, cpp, python in LISTED.findall(source.read_text(encoding="utf-8")):
        finds = () if ids == "nothing" else tuple(sorted(ids.split()))
        found.append(Program(cpp or python, source, finds))
    return found


def programs() -> list[Program]:
    """All of them, the C++ ones first."""
    sources = sorted([*FOLDER.glob("*/*.cpp"), *FOLDER.glob("*/*.py")], key=lambda path: (path.suffix, path))
    return [program for source in sources for program in programs_of(source)]


def compile_gallery(tree: Path, binary: Path) -> None:
    """All C++ programs as one, with the names of functions and lines."""
    options = ["-std=c++11", *STRICT, "-Wno-unused-parameter", "-g", "-pthread", f"-Wl,-rpath,{tree / 'lib64'}"]
    options += [f"-I{FOLDER}", f"-I{ROOT / 'examples' / 'cpp'}"]
    compile_program(tree, FOLDER / "gallery.cpp", binary, options)


def run_checked(command: list[str], folder: Path, **variables: str) -> Run:
    """Run a command in check mode; ``folder`` is for its log."""
    log = folder / "findings.jsonl"
    log.unlink(missing_ok=True)
    python_path = os.pathsep.join(filter(None, (str(FOLDER), os.environ.get("PYTHONPATH", ""))))
    environment = {**os.environ, "PYTHONPATH": python_path, "ACLTWIN_CHECK": "1", "ACLTWIN_CHECK_LOG": str(log)}
    done = subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True, timeout=120)
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return Run(done.returncode, done.stderr, [json.loads(line) for line in lines])


def command_of(program: Program, binary: Path, fixed: bool) -> list[str]:
    words = [str(binary)] if program.language == "C++" else [sys.executable, str(program.source)]
    return [*words, program.name, *(["fixed"] if fixed else [])]
