"""Where calls of compiled code are: functions and lines by ``acltwin check``, offsets without it; logs read later."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from acltwin.check import suppressions, symbols
from acltwin.check.suppressions import Suppression
from support.gallery import FOLDER, run_checked

PROGRAM = "copy_before_synchronize"
SOURCE = (FOLDER / "wrong" / "race.cpp").read_text(encoding="utf-8").splitlines()
LINE = next(i for i, line in enumerate(SOURCE, 1) if "read(result);" in line)  # of the copy that comes too early


def check(*words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "acltwin", "check", *map(str, words)]
    return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=120)


def test_functions_and_lines(binary: Path, tmp_path: Path) -> None:
    file = tmp_path / "findings.json"
    done = check("--json", file, binary, PROGRAM)
    assert done.returncode == 1
    assert f"{PROGRAM} (race.cpp:{LINE})" in done.stderr
    (finding,) = json.loads(file.read_text())["findings"]
    (copy,) = (call for call in finding["calls"] if call["function"] == "aclrtMemcpy")
    functions = [frame["function"] for frame in copy["site"]]
    assert functions[0] == "read"
    assert functions[-1] == "main"  # what called it is the same for all programs
    (caller,) = (frame for frame in copy["site"] if frame["function"] == PROGRAM)
    assert caller["file"].endswith("/wrong/race.cpp")
    assert caller["line"] == LINE


def test_without_the_command_there_are_offsets(binary: Path, tmp_path: Path) -> None:
    found = run_checked([str(binary), PROGRAM], tmp_path)
    assert re.search(r"made by aclrtMalloc at gallery\+0x[0-9a-f]+, from gallery\+0x", found.printed), found.printed
    assert found.printed.count("'acltwin check PROGRAM' shows functions and lines") == 1
    (site,) = {json.dumps(call["site"][0]) for call in found.findings[0]["calls"] if call["function"] == "aclrtMemcpy"}
    assert json.loads(site).keys() == {"library", "offset"}
    assert json.loads(site)["library"] == str(binary)


def test_a_quiet_program_writes_only_its_log(binary: Path, tmp_path: Path) -> None:
    found = run_checked([str(binary), PROGRAM], tmp_path, ACLTWIN_CHECK_QUIET="1")
    assert (found.ids, found.printed) == (("race.kernel-and-copy",), "")


@pytest.mark.parametrize("variables", [{"ACLTWIN_CHECK_QUIET": "0"}, {"ACLTWIN_CHECK_LOG": ""}])
def test_findings_are_never_quiet_unasked_or_without_a_log(
    binary: Path, tmp_path: Path, variables: dict[str, str]
) -> None:
    found = run_checked([str(binary), PROGRAM], tmp_path, **{"ACLTWIN_CHECK_QUIET": "1", **variables})
    assert "race.kernel-and-copy" in found.printed


def test_a_broken_log_ends_the_command_only_after_the_program(tmp_path: Path) -> None:
    program = """if True:
        import os, sys, time
        with open(os.environ["ACLTWIN_CHECK_LOG"], "w") as log:
            log.write("no finding\\n")
        time.sleep(1)
        open(sys.argv[1], "w").close()
    """
    ended, said = tmp_path / "ended", tmp_path / "said"
    command = [sys.executable, "-m", "acltwin", "check", sys.executable, "-c", program, str(ended)]
    with said.open("w") as file:
        assert subprocess.call(command, stderr=file, timeout=120) == 2
    assert ended.exists()
    assert "has a line that is no finding" in said.read_text()


def test_a_log_is_read_later_as_if_the_command_had_run(binary: Path, tmp_path: Path) -> None:
    run_checked([str(binary), PROGRAM], tmp_path)
    log = tmp_path / "findings.jsonl"
    read, ran = check("--read", log), check(binary, PROGRAM)
    addresses = re.compile("0x[0-9a-f]+")
    assert addresses.sub("", read.stderr) == addresses.sub("", ran.stderr)
    assert read.returncode == ran.returncode == 1
    assert check("--read", log, "--only", "leak").stderr == "acltwin check: no findings\n"
    assert check("--read", log, "--error-exitcode", "7").returncode == 7


@pytest.mark.parametrize(
    ("line", "left"),
    [
        (f"race.* function={PROGRAM}", 0),
        ("race.kernel-and-copy file=race.cpp", 0),
        ("race.kernel-and-copy function=read file=*/gallery.h", 0),
        ("race.kernel-and-copy function=read file=race.cpp", 1),  # both must be those of one frame
        ("race.kernels", 1),
    ],
)
def test_compiled_functions_and_files_can_be_suppressed(binary: Path, tmp_path: Path, line: str, left: int) -> None:
    known = tmp_path / "known.txt"
    known.write_text(f"# known\n{line}  # why\n")
    run_checked([str(binary), PROGRAM], tmp_path)
    log = tmp_path / "findings.jsonl"
    for done in (check("--suppress", known, "--read", log), check("--read", log, ACLTWIN_CHECK_SUPPRESS=str(known))):
        assert done.returncode == left
        expected = "1 finding (1 race)" if left else "no findings, 1 suppressed"
        assert done.stderr.splitlines()[-1] == f"acltwin check: {expected}"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--read", "not-there.log"], "--read 'not-there.log' is no file"),
        (["--read", __file__], "has a line that is no finding"),
        (["--read", __file__, "true"], "runs no program, but 'true' is named as well"),
    ],
)
def test_a_log_that_cannot_be_read(words: list[str], sentence: str) -> None:
    done = check(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[]",
        '{"id": "leak.block"}',
        '{"id": "leak.block", "kind": "leak", "what": "", "object": 3, "calls": [], "fix": "", "count": 1}',
        '{"id": "leak.block", "kind": "leak", "what": "", "object": null, "calls": [{}], "fix": "", "count": 1}',
        '{"id": "leak.block", "kind": "leak", "what": "", "object": null, "calls": [], "fix": "", "count": "1"}',
        '{"id": ["leak"], "kind": "leak", "what": "", "object": null, "calls": [], "fix": "", "count": 1}',
    ],
)
def test_a_line_that_is_no_finding(tmp_path: Path, line: str) -> None:
    log = tmp_path / "log"
    log.write_text(line + "\n")
    done = check("--read", log)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr


def test_what_a_dying_program_left_unfinished_is_no_finding(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text('{"id": "leak.bl')
    assert check("--read", log).stderr == "acltwin check: no findings\n"


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("main", "main"),
        ("int make<float>(long)", "make<float>"),
        ("void (anonymous namespace)::run(int, char**)", "(anonymous namespace)::run"),
        ("Map<int, Less<int> >::insert(int const&)", "Map<int, Less<int> >::insert"),
        ("Pool::operator()(int) const", "Pool::operator()(int) const"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()(int) const"),
    ],
)
def test_the_name_in_a_signature(signature: str, name: str) -> None:
    assert symbols.name_in(signature) == name


def test_inlined_functions_and_unknown_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = ["0x0000000000000010", "inner()", "/a/b.cpp:4 (discriminator 2)", "outer()", "/a/b.cpp:9"]
    answer += ["0x0000000000000020", "??", "??:0", "0x0000000000000030", "static_one", "??:?"]
    monkeypatch.setattr(symbols, "_answers", lambda library, offsets: symbols._parsed(answer, library))
    site = [{"library": "/no/such.so", "offset": offset} for offset in (0x10, 0x20, 0x30)]
    assert symbols.resolved([site]) == [
        [
            {"function": "inner", "file": "/a/b.cpp", "line": 4},
            {"function": "outer", "file": "/a/b.cpp", "line": 9},
            {"library": "/no/such.so", "offset": 0x20},
            {"function": "static_one", "library": "/no/such.so", "offset": 0x30},
        ]
    ]


def test_what_calls_a_main_function_of_python_is_kept() -> None:
    site = [{"function": name, "file": "/a/b.py", "line": 3} for name in ("main", "<module>")]
    assert symbols.resolved([site]) == [site]


def test_wrong_suppressions_are_named_and_the_others_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = tmp_path / "known.txt"
    known.write_text("leak.block\nleak.blok\n\nleak.block main\n*\n# leak.array\nleak.* file=pool.cpp\n")
    assert suppressions.read(str(known)) == [Suppression("leak.block"), Suppression("leak.*", file="pool.cpp")]
    printed = capsys.readouterr().err.splitlines()
    assert [line.partition("line ")[2] for line in printed] == [
        "2: no finding is called 'leak.blok'; correct that line",
        "4: 'main' is neither function=GLOB nor file=GLOB; correct that line",
        "5: no finding is called '*'; correct that line",
    ]
