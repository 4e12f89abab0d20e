"""Operators that the twin does not have: programs link, start and say what is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from acltwin.sdk import symbols
from acltwin.sdk.stubs import StubsError, wanted_by
from support.gallery import run_checked
from support.sdk_tree import LINK_LINES, STRICT, compile_program, run_program, sdk_command

PROGRAM = r"""
#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cat_of_another_name.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"

static void say(const char* name, int status) {
    const char* message = aclGetRecentErrMsg();
    printf("%s %d %s\n", name, status, message != NULL ? message : "no message");
}

int main(void) {
    uint64_t size = 7;
    aclOpExecutor* executor = NULL;
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0) return 1;
    say("add", aclnnAddGetWorkspaceSize((aclTensor*)NULL, 1.5f, 2.5, &size, &executor));
    say("softmax", aclnnSoftmaxGetWorkspaceSize((aclTensor*)NULL, (int64_t)1, &size, &executor));
    say("cat", aclnnCatGetWorkspaceSize((aclTensor*)NULL, &size, &executor));
    say("cat", aclnnCatGetWorkspaceSize((aclTensor*)NULL, &size, &executor));
    say("add", aclnnAdd(NULL, size, executor, (aclrtStream)NULL));
    say("own", aclnnUpsampleNearest3dBackwardGetWorkspaceSize(NULL, NULL, NULL, 0, 0, 0, NULL, &size, &executor));
    return size == 7 && executor == NULL && aclrtResetDevice(0) == 0 && aclFinalize() == 0 ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stubs") / "program.c"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def stubbed(source: Path) -> Path:
    """A tree with what the source needs."""
    done = sdk_command(source.parent / "sdk", "--stubs", source)
    assert done.returncode == 0, done.stderr
    assert "not in the twin, 3 operators by name only:  aclnnAdd, aclnnCat, aclnnSoftmax" in done.stdout
    assert "in the twin:  aclnnUpsampleNearest3dBackward\n" in done.stdout
    return source.parent / "sdk"


@pytest.mark.parametrize("line", LINK_LINES)
@pytest.mark.parametrize(("compiler", "standard"), [("gcc", "-std=c99"), ("g++", "-std=c++11")])
def test_a_program_links_and_says_what_is_missing(
    stubbed: Path, source: Path, tmp_path: Path, line: str, compiler: str, standard: str
) -> None:
    language = ("-x", "c++") if compiler == "g++" else ()
    program = tmp_path / "program"
    link = ("-x", "none", *LINK_LINES[line])
    compile_program(stubbed, source, program, (standard, *STRICT, *language), link, compiler)
    done = run_program(stubbed, program)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["add", "161002"],
        ["softmax", "161002"],
        ["cat", "161002"],
        ["cat", "161002"],
        ["add", "161002"],
        ["own", "161001"],
    ]
    assert "aclnnSoftmaxGetWorkspaceSize is not in the twin" in lines[1]
    assert "rule missing_operator" in lines[1]
    logged = run_program(stubbed, program, ACLTWIN_LOG="1").stderr
    assert "aclnnCatGetWorkspaceSize is not in the twin" in logged


def test_check_mode_reports_each_once_and_lists_them(stubbed: Path, source: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    compile_program(stubbed, source, program, ("-g", f"-Wl,-rpath,{stubbed / 'lib64'}"), compiler="gcc")
    run = run_checked([str(program)], tmp_path)
    missing = [finding for finding in run.findings if finding["id"] == "use.missing-operator"]
    assert len(missing) == 3
    listed = "not in the twin: aclnnAdd (2 calls), aclnnCat (2 calls), aclnnSoftmax (1 call)"
    assert f"acltwin check: {listed}\n" in run.printed
    # The frame that is shown is the program's.
    places = [line for line in run.printed.splitlines() if line.split()[:1] == ["call"]]
    assert places
    assert all("libacltwin_stubs" not in line and "program" in line for line in places)


def test_for_a_program_as_it_is(source: Path, tmp_path: Path) -> None:
    """An object file, as of a wheel: its undefined symbols are read, and only those."""
    text = tmp_path / "library.c"
    text.write_text(
        "int aclnnGelu(); int aclnnGeluGetWorkspaceSize(); int aclnnAbs() { return 0; } int aclrtNoSuchName();\n"
        "int aclrtMalloc(); int run() { return aclnnGelu() + aclnnGeluGetWorkspaceSize() + aclnnAbs() + "
        "aclrtNoSuchName() + aclrtMalloc(); }\n"
    )
    library = tmp_path / "library.so"
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", text, "-o", library], check=True)
    done = sdk_command(tmp_path / "sdk", "--for", library)
    assert done.returncode == 0, done.stderr
    assert "not in the twin, 1 operator by name only:  aclnnGelu\n" in done.stdout
    assert "other functions that the twin lacks:  aclrtNoSuchName\n" in done.stdout
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", tmp_path / "sdk" / "lib64" / "libopapi.so"], text=True, capture_output=True
    ).stdout
    assert {line.split()[2] for line in listed.splitlines()} >= {"aclnnGelu", "aclnnGeluGetWorkspaceSize"}
    assert "aclnnAbs" not in listed
    again = sdk_command(tmp_path / "sdk")  # without them, the tree is the plain one again
    assert again.returncode == 0
    assert not (tmp_path / "sdk" / "lib64" / "libacltwin_stubs.so").exists()
    assert (tmp_path / "sdk" / "lib64" / "libopapi.so").readlink() == Path("libacltwin.so")


def test_names_that_the_twin_has_need_no_stubs(tmp_path: Path) -> None:
    done = sdk_command(tmp_path / "sdk", "--stubs", "aclnnMaxUnpool3d")
    assert done.returncode == 0
    assert "all operators that are needed are in the twin" in done.stdout
    assert not (tmp_path / "sdk" / "lib64" / "libacltwin_stubs.so").exists()


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("--stubs", "Softmax"), 1, "'Softmax' is neither a file nor the name of an operator"),
        (("--for", "no/such/program"), 1, "no/such/program is not there"),
    ],
)
def test_what_is_no_name(tmp_path: Path, words: tuple[str, ...], status: int, sentence: str) -> None:
    done = sdk_command(tmp_path / "sdk", *words)
    assert done.returncode == status
    assert sentence in done.stderr
    assert not (tmp_path / "sdk").exists()


def test_stubs_need_a_tree() -> None:
    done = sdk_command("--cflags", "--stubs", "aclnnAdd")
    assert (done.returncode, "say where to write it" in done.stderr) == (2, True)


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", str(tmp_path / "no-such-compiler"))
    done = sdk_command(tmp_path / "sdk", "--stubs", "aclnnAdd")
    assert done.returncode == 1
    assert "set CC to a C compiler" in done.stderr


@pytest.mark.parametrize("cut", [4, 20, 64, 200, 5000])
def test_a_damaged_file_is_a_sentence(tmp_path: Path, cut: int) -> None:
    damaged = tmp_path / "damaged"
    damaged.write_bytes(Path("/bin/ls").read_bytes()[:cut])
    with pytest.raises(StubsError, match="ELF"):
        wanted_by([str(damaged)])
    damaged.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(symbols.UnreadableError, match="neither"):
        symbols.needed_by(damaged)
