"""Every wrong program of the gallery gives its findings and no others; fixed ones and right ones give none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from acltwin.check.findings import FINDINGS
from support.gallery import Program, command_of, programs, run_checked

PROGRAMS = programs()
WRONG = [program for program in PROGRAMS if program.is_wrong]


@pytest.mark.parametrize("program", WRONG, ids=lambda program: program.label)
def test_wrong(binary: Path, tmp_path: Path, program: Program) -> None:
    run = run_checked(command_of(program, binary, fixed=False), tmp_path)
    assert run.ids == program.finds, run.printed
    for name in program.finds:
        assert f"acltwin check: {name}\n" in run.printed
    stopped = any(name == "host.device-pointer-followed" for name in program.finds)
    assert (run.status != 0) == stopped, run.printed


@pytest.mark.parametrize("program", WRONG, ids=lambda program: program.label)
def test_fixed(binary: Path, tmp_path: Path, program: Program) -> None:
    run = run_checked(command_of(program, binary, fixed=True), tmp_path)
    assert (run.status, run.ids, run.printed) == (0, (), "acltwin check: no findings\n")


@pytest.mark.parametrize(
    "program", [program for program in PROGRAMS if not program.is_wrong], ids=lambda program: program.label
)
def test_right(binary: Path, tmp_path: Path, program: Program) -> None:
    run = run_checked(command_of(program, binary, fixed=False), tmp_path)
    assert (run.status, run.ids, run.printed) == (0, (), "acltwin check: no findings\n")


def test_the_gallery_is_whole(binary: Path) -> None:
    """Each finding is shown in C++ and in Python, and no program is forgotten by the compiler."""
    listed = subprocess.run([binary], capture_output=True, text=True).stdout.split()
    assert listed == sorted(program.name for program in PROGRAMS if program.language == "C++")
    assert len(WRONG) >= 40
    for language in ("C++", "Python"):
        shown = {name for program in WRONG if program.language == language for name in program.finds}
        assert shown == set(FINDINGS)


def test_the_same_program_gives_the_same_findings(binary: Path, tmp_path: Path) -> None:
    for program in WRONG[::9]:
        stories = [run_checked(command_of(program, binary, fixed=False), tmp_path).story for _ in range(2)]
        assert stories[0] == stories[1]
