"""What is said at the end: failed calls in one line, leaks of a program that failed, and repeats as a count."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from acltwin.check import report, text
from support.gallery import Run, command_of, programs, run_checked

ADDRESS = re.compile(r"\+0x[0-9a-f]+")


def run_program(name: str, binary: Path, folder: Path) -> Run:
    program = next(one for one in programs() if one.name == name and one.language == "C++")
    return run_checked(command_of(program, binary, fixed=False), folder)


def run_python(code: str, folder: Path) -> Run:
    begin = "import sys; from acltwin import acl; acl.init(); acl.rt.set_device(0)\n"
    return run_checked([sys.executable, "-c", begin + code], folder)


def test_failed_calls_are_summed_up(binary: Path, tmp_path: Path) -> None:
    run = run_program("calls_that_failed_unnoticed", binary, tmp_path)
    failed, summary = run.printed.splitlines()[-2:]
    assert ADDRESS.sub("", failed) == (
        "acltwin check: 3 calls failed, and nobody asked why: "
        "aclrtDestroyEvent at gallery, aclrtDestroyStream at gallery, aclrtMalloc at gallery"
    )
    assert summary == "acltwin check: 3 findings (3 use)"
    assert any("size is 0, expected at least 1 byte (status 100000)" in finding["what"] for finding in run.findings)


@pytest.mark.parametrize("name", ["threads_that_fail_unnoticed", "threads_that_free_again"])
def test_failed_calls_of_threads_come_in_one_order(binary: Path, tmp_path: Path, name: str) -> None:
    stories = [run_program(name, binary, tmp_path).story for _ in range(5)]
    assert all(story == stories[0] for story in stories)
    assert [re.findall(r'"count": (\d)', line)[0] for line in stories[0]] == ["1", "1", "3", "3"]


@pytest.mark.parametrize("name", ["free_after_launch", "unmapped_while_in_use", "workspace_freed_after_launch"])
def test_a_free_under_queued_work_ends_alike_each_time(binary: Path, tmp_path: Path, name: str) -> None:
    runs = [run_program(name, binary, tmp_path) for _ in range(5)]
    assert [run.status for run in runs] == [0] * 5
    assert all(run.story == runs[0].story for run in runs)


def test_the_copy_that_brought_unwritten_bytes_is_named(binary: Path, tmp_path: Path) -> None:
    (finding,) = run_program("unwritten_bytes_brought_to_a_kernel", binary, tmp_path).findings
    assert [(call["role"], call["function"]) for call in finding["calls"]] == [
        ("copy", "aclrtMemcpyAsync"),
        ("read", "aclnnUpsampleNearest3dBackward"),
    ]
    assert "aclrtMemcpyAsync brought them" in finding["what"]


def test_a_program_that_fails_leaves_one_line(tmp_path: Path) -> None:
    run = run_python("acl.rt.malloc(64, 0), acl.rt.malloc(64, 0), acl.create_int_array((1,)); sys.exit(3)", tmp_path)
    assert (run.status, run.ids) == (3, ())
    assert run.printed.splitlines() == [
        "acltwin check: the program failed (status 3) and left 1 array, 2 blocks, 1 context",
        "acltwin check: no findings",
    ]


def test_a_line_that_is_reached_by_many_ways_is_one(tmp_path: Path) -> None:
    code = """
def make(): acl.create_int_array((1,))
def two(): make()
def three(): two()
def four(depth): four(depth - 1) if depth else three()
for depth in range(4): four(depth)
acl.rt.reset_device(0), acl.finalize()
"""
    (finding,) = run_python(code, tmp_path).findings
    assert finding["object"]["count"] == 4


def test_places_of_one_line_are_one_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a compiler has unrolled a loop."""
    frame = {"function": "main", "file": "/a/b.cpp", "line": 7}
    monkeypatch.setattr(report, "resolved", lambda sites: [[frame] for _ in sites])
    log = tmp_path / "log"
    calls = '[{"role": "call", "function": "aclrtFree", "detail": "", "site": [{"library": "/a/b", "offset": %d}]}]'
    line = '{"id": "use.refused-call", "kind": "use", "what": "", "object": null, "calls": %s, "fix": "", "count": 1}\n'
    log.write_text("".join(line % (calls % offset) for offset in (16, 32, 48)))
    read = report.Report(log, ("use",), [])
    read.read_on()
    (finding,) = read.findings
    assert finding["count"] == 3
    assert (
        text.failures(read.findings)
        == "acltwin check: 3 calls failed, and nobody asked why: aclrtFree at main (b.cpp:7)"
    )
