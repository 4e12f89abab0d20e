"""The commands ``golden``, ``verify`` and ``compare``: what they print and how they end."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from acltwin import golden
from acltwin.cli import main
from acltwin.golden import commands

OPERATOR = "upsample_nearest_exact2d_backward"
KERNELS = Path(__file__).parent.parent / "support" / "golden_kernels.py"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _verify(kernel: str, *words: str) -> int:
    return main(["verify", f"{KERNELS}:{kernel}", OPERATOR, "--level", "quick", "--explain-seconds", "5", *words])


def test_golden_lists_and_writes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["golden", "upsample_nearest_exact2d_grad", "--level", "quick", "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == len(golden.cases(OPERATOR, level="quick"))
    assert main(["golden", OPERATOR, "--level", "quick", "--only", "frac-up/float16", "-o", "set", "--keep-bound"]) == 0
    assert "3 cases" in capsys.readouterr().out
    names = {path.name for path in Path("set", "cases", "frac-up__float16__coded").iterdir()}
    assert names == {"grad_output.npy", "expected.npy", "sum.npy", "magnitude.npy", "count.npy"}
    assert main(["golden", "--from", "set/manifest.json", "-o", "again"]) == 0
    first, second = (Path(place, "manifest.json").read_text() for place in ("set", "again"))
    keep = [entry["tensors"][0] for entry in json.loads(first)["cases"]]
    assert keep == [entry["tensors"][0] for entry in json.loads(second)["cases"]]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["golden", "nearest", "--list"], 2, "no operator is called 'nearest'"),
        (["golden", "--list"], 4, "no case was chosen"),
        (["golden", OPERATOR], 2, "no directory to write to"),
        (["golden", OPERATOR, "--dtype", "int8", "--list"], 2, "has no int8"),
        (["verify"], 2, "no target; name one"),
        (["verify", "kernel", OPERATOR], 2, "names no function"),
        (["verify", "a:b"], 4, "no case was chosen"),
        (["verify", "a:b", "missing.yaml"], 2, "there is no file missing.yaml"),
        (["verify", "--outputs", "nowhere"], 2, "there is no directory nowhere"),
        (["verify", "a:b", OPERATOR, "--resume"], 2, "there is no run to resume"),
        (["verify", "--outputs", ".", OPERATOR, "--require-device", "npu"], 2, "cannot be checked for files"),
        (["verify", "--command", "x", OPERATOR, "--require-device", "npu"], 2, "cannot be checked for files"),
        (["verify", "--outputs", ".", OPERATOR, "--repeat", "2"], 2, "which hold the results of one run"),
        (["verify", f"{KERNELS}:right", OPERATOR, "--format", "bin"], 2, "--format only applies to --command"),
        (["report", "missing.json", "-o", "x.html"], 2, "is not a run that can be read"),
        (["compare", "a.npy"], 2, "nothing to compare it with"),
        (["compare", "a.npy", "b.npy"], 2, "cannot be read"),
    ],
)
def test_wrong_requests(words: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == status
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kernel", "status", "words"),
    [
        ("right", 0, "passed"),
        ("returns_nan", 1, "failed"),
        ("raises", 3, "not run"),
        ("skips", 4, "nothing was run: every case was skipped"),
        ("no_such_function", 3, "cannot be loaded: ValueError"),
    ],
)
def test_verify_ends_with_the_right_status(
    kernel: str, status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _verify(kernel) == status
    assert words in capsys.readouterr().out
    run = golden.Run.load(".acltwin/run.json")
    assert run.exit_status == status


def test_a_failing_run_prints_census_cause_and_cells(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text(
        "import numpy as np, acltwin\n"
        "def kernel(**given):\n"
        "    y = np.array(acltwin.upsample_nearest_exact2d_backward(**given))\n"
        "    y[..., -1] = 0\n"
        "    return y\n"
    )
    assert main(["verify", "mine.py:kernel", OPERATOR, "--level", "quick"]) == 1
    printed = capsys.readouterr().out
    assert "40 cases   failed 40" in printed
    assert "cause   the last cells along W are not computed" in printed
    assert "reproduces all 40 failing outputs" in printed
    assert "lost (" in printed
    assert "next    acltwin verify mine.py:kernel upsample_nearest_exact2d_backward --only " in printed
    _pasted(printed, 1)


def _pasted(printed: str, status: int) -> None:
    """What a failing run says to do next, done: one case, the same outcome, and a report."""
    line = next(line for line in printed.splitlines() if line.startswith("next    acltwin "))
    program, *words = shlex.split(line.removeprefix("next"))
    assert program == "acltwin"
    assert main(words) == status
    run = golden.Run.load(".acltwin/run.json")
    assert [record.case.name for record in run.records] == [words[words.index("--only") + 1]]
    assert Path("bug.html").is_file()


@pytest.mark.parametrize(
    "words",
    [
        ["--command", f"{sys.executable} -c 'raise SystemExit(7)' {{inputs}}", OPERATOR, "--dtype", "float16"],
        ["--outputs", "set"],
        ["--outputs", "out puts", "set"],
        [f"{KERNELS}:forgets_a_cell", "max_unpool3d", OPERATOR, "--level", "full", "--fill", "rounding", "--seed", "5"],
        [f"{KERNELS}:forgets_a_cell", "all", "--only", "down/", "--map-rule", "torch", "--rule", "close", "--ftz"],
    ],
    ids=lambda words: words[0].rpartition("/")[2],
)
def test_what_to_do_next_can_be_pasted(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["golden", OPERATOR, "--only", "frac-up/float32", "-o", "set"]) == 0
    for place in ("set/outputs", "out puts"):
        Path(place, "frac-up__float32__coded").mkdir(parents=True)
        np.save(Path(place, "frac-up__float32__coded", "out.npy"), np.zeros((2, 5, 4, 5), np.float32))
    level = [] if "--level" in words else ["--level", "quick"]
    status = main(["verify", *words, *level, "--explain-seconds", "0"])
    assert status in (1, 3)
    _pasted(capsys.readouterr().out, status)


def test_the_command_that_repeats_a_run_is_exact() -> None:
    options = ["--repeat", "2", "--dtype", "float16", "--only", "down/", "--seed", "2"]
    words = ["verify", f"{KERNELS}:right", OPERATOR, *options]
    assert main(words) == 0
    first = golden.Run.load(".acltwin/run.json")
    program, *again = shlex.split(first.repetition.whole)
    assert program == "acltwin"
    assert again == words
    assert main(again) == 0
    assert golden.Run.load(".acltwin/run.json").records[0].case == first.records[0].case


def test_one_case_is_chosen_by_its_whole_name(capsys: pytest.CaptureFixture[str]) -> None:
    listing = ["golden", "max_unpool3d_backward", "--list"]
    assert main([*listing, "--only", "smaller/float16/coded"]) == 0
    assert capsys.readouterr().out.split() == ["max_unpool3d_backward", "smaller/float16/coded"]
    assert main([*listing, "--only", "smaller/float16/code"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_program_that_hangs_is_ended(capsys: pytest.CaptureFixture[str]) -> None:
    program = "import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(600)"
    command = shlex.join([sys.executable, "-c", program])
    assert main(["verify", "--command", command, OPERATOR, "--only", "frac-up/float32/coded", "--timeout", "1"]) == 3
    assert "no answer after 1 s; the program was ended" in capsys.readouterr().out
    assert not Path("/proc", Path("pid").read_text()).exists()


def test_a_program_is_called_again_and_its_bits_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    Path("moody.py").write_text(
        "import json, sys, time, pathlib, numpy as np\n"
        "case = json.loads((pathlib.Path(sys.argv[1]) / 'case.json').read_text())\n"
        "result = case['results'][0]\n"
        "np.save(sys.argv[2], np.full(result['shape'], time.time_ns() % 99991, result['dtype']))\n"
    )
    only = [OPERATOR, "--only", "frac-up/float32/coded", "--repeat", "2", "--deterministic"]
    assert main(["verify", "--command", f"{sys.executable} moody.py {{inputs}} {{output}}", *only]) == 1
    assert "not deterministic" in capsys.readouterr().out


def test_what_a_set_was_made_for_counts_where_it_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    """Float64 sums of the set leave less room than float32 sums, unless the judge says otherwise."""
    Path("kernels.py").write_text(
        "import numpy as np, acltwin\n"
        "from acltwin.golden.wrong import load\n"
        "chosen = next(one for one in load('right') if one.name == 'descending_float32')\n"
        "def kernel(grad_output, **arguments):\n"
        f"    return chosen.run('{OPERATOR}', {{'grad_output': grad_output}}, arguments)\n"
    )
    only = ["--only", "factor50/float32/real"]
    assert main(["golden", OPERATOR, *only, "--accumulate", "float64", "-o", "set"]) == 0
    assert json.loads(Path("set/manifest.json").read_text())["accumulate"] == "float64"
    assert main(["golden", "--from", "set/manifest.json", "-o", "again"]) == 0
    assert json.loads(Path("again/manifest.json").read_text())["accumulate"] == "float64"
    quick = ["--explain-seconds", "0"]
    assert main(["verify", "kernels.py:kernel", "set", *quick]) == 1
    assert golden.Run.load(".acltwin/run.json").records[0].verdict.options["accumulate"] == "float64"
    assert main(["verify", "kernels.py:kernel", "set", "--accumulate", "float32", *quick]) == 0
    assert main(["verify", "kernels.py:kernel", OPERATOR, *only, *quick]) == 0


def test_verify_of_a_program_and_of_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("program.py").write_text(
        "import json, sys, pathlib, numpy as np, acltwin\n"
        "place = pathlib.Path(sys.argv[1])\n"
        "case = json.loads((place / 'case.json').read_text())\n"
        "grad = np.load(place / 'grad_output.npy')\n"
        "assert np.isnan(np.load(sys.argv[2])).all()\n"
        "np.save(sys.argv[2], acltwin.upsample_nearest_exact2d_backward(grad, **case['arguments']))\n"
    )
    command = f"{sys.executable} program.py {{inputs}} {{output}}"
    only = ["--only", "frac-up/float32/coded", "--level", "quick"]
    assert main(["verify", "--command", command, OPERATOR, *only]) == 0
    assert main(["verify", "--command", f"{sys.executable} -c 'raise SystemExit(7)'", OPERATOR, *only]) == 3
    assert "exit status 7" in capsys.readouterr().out
    assert main(["golden", OPERATOR, *only, "-o", "set"]) == 0
    assert main(["verify", "--outputs", "set"]) == 4
    case = next(case for case in golden.cases(OPERATOR) if case.name == only[1])
    target = Path("set", "outputs", "frac-up__float32__coded", "out.npy")
    target.parent.mkdir(parents=True)
    np.save(target, case.expected().value.astype(np.float32))
    assert main(["verify", "--outputs", "set"]) == 0
    np.save(target, np.zeros(case.expected().value.shape, np.float32))
    assert main(["verify", "--outputs", "set"]) == 1


ONE = [OPERATOR, "--only", "frac-up/float32/coded"]


@pytest.mark.parametrize("file_format", ["npy", "bin", "pt"])
def test_a_program_gets_files_in_each_format(file_format: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same case as a set and through a program that copies the expected file of that set."""
    assert main(["golden", *ONE, "--format", file_format, "-o", "set"]) == 0
    expected = Path("set/cases/frac-up__float32__coded", f"expected.{file_format}").resolve()
    given = Path("set/cases/frac-up__float32__coded", f"grad_output.{file_format}").resolve()
    same = f"cmp {{inputs}}/grad_output.{file_format} {given} && cp {expected} {{output}}"
    words = ["verify", "--command", shlex.join(["sh", "-c", same]), "--format", file_format, *ONE]
    assert main(words) == 0, capsys.readouterr().out
    Path("set/outputs/frac-up__float32__coded").mkdir(parents=True)
    shutil.copy(expected, Path("set/outputs/frac-up__float32__coded", f"out.{file_format}"))
    assert main(["verify", "--outputs", "set"]) == 0
    assert main(["verify", "--command", f"cp -r {{inputs}} seen_{file_format}", "--format", file_format, *ONE]) == 1
    place = Path(f"seen_{file_format}")
    assert main(["compare", str(expected), "--case", str(place / "case.json")]) == 0
    about = json.loads((place / "case.json").read_text())
    assert (place / about["tensors"]["grad_output"]["file"]).is_file()
    assert about["results"][0]["file"] == f"out.{file_format}"


@pytest.mark.parametrize("operator", [OPERATOR, "max_pool3d_with_argmax"])
def test_a_program_that_writes_nothing_is_told_so(operator: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--command", "true", operator, "--level", "quick", "--dtype", "float16"]) == 1
    printed = capsys.readouterr().out
    assert "the program ended with status 0 and did not write its output, out" in printed
    assert "cause" not in printed


def test_a_program_that_writes_nan_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    """The same bytes as before, but they were written."""
    program = "import sys; data = open(sys.argv[1], 'rb').read(); open(sys.argv[1], 'wb').write(data)"
    assert main(["verify", "--command", shlex.join([sys.executable, "-c", program, "{output}"]), *ONE]) == 1
    assert "did not write" not in capsys.readouterr().out
    mapped = "import sys, numpy as np; np.load(sys.argv[1], mmap_mode='r+')[...] = 0"
    assert main(["verify", "--command", shlex.join([sys.executable, "-c", mapped, "{output}"]), *ONE]) == 1
    assert "did not write" not in capsys.readouterr().out


def test_a_skipped_case_says_which_file_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["golden", "max_pool3d_with_argmax", "--only", "overlap/float16", "-o", "set"]) == 0
    name = json.loads(Path("set/manifest.json").read_text())["cases"][0]["name"]
    place = Path("set/outputs", name.replace("/", "__"))
    assert main(["verify", "--outputs", "set"]) == 4
    assert f"skipped case {name}: there is no {place}/out0.npy, .bin or .pt (and " in capsys.readouterr().out
    place.mkdir(parents=True)
    (place / "out0.bin").touch()
    assert main(["verify", "--outputs", "set"]) == 4
    assert f"there is no {place}/out1.npy, .bin or .pt" in capsys.readouterr().out
    (place / "out1.bin").touch()
    assert main(["verify", "--outputs", "set"]) == 1
    assert f"{place}/out0.bin has 0 bytes; expected " in capsys.readouterr().out


def test_a_used_directory_is_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["golden", OPERATOR, "-o", "set", "--only"]
    for _ in range(2):
        assert main([*words, "frac-up/float32/coded"]) == 0
        assert capsys.readouterr().err == "", "the same set again"
    assert main([*words, "frac-up/float32/real"]) == 0
    told = capsys.readouterr().err
    assert "set was used before: 2 files are not of this set, such as set/cases/frac-up__float32__coded/" in told
    result = Path("set/outputs/frac-up__float32__real/out.npy")
    result.parent.mkdir(parents=True)
    result.touch()
    assert main([*words, "frac-up/float32/real"]) == 0
    assert f"3 files are not of this set, such as {result}; verify --outputs would read" in capsys.readouterr().err


def test_compare(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("a.npy", np.float32([1, 2, 3]))
    np.save("b.npy", np.float32([1, 2, 3.5]))
    assert main(["compare", "a.npy", "a.npy"]) == 0
    assert main(["compare", "a.npy", "b.npy"]) == 1
    assert "1 of 3 cells wrong" in capsys.readouterr().out
    assert main(["compare", "a.npy", "b.npy", "--rule", "cosine"]) == 1
    bits = np.float32([1, 2, 3]).view(np.uint32) >> 16
    np.save("c.npy", bits.astype(np.uint16))
    assert main(["compare", "c.npy", "c.npy", "--dtype", "bfloat16"]) == 0


# On a terminal of its own. A shell lets programs in the background ignore interrupts, and children inherit that.
ON_A_TERMINAL = (
    "import fcntl, signal, sys, termios; fcntl.ioctl(2, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from acltwin.cli import main; sys.exit(main(sys.argv[1:]))"
)


def test_ctrl_c_leaves_a_run_that_is_resumed() -> None:
    Path("slow.py").write_text(
        "import time, pathlib, acltwin\n"
        "def kernel(**given):\n"
        "    with open('calls', 'a') as file: file.write('x')\n"
        "    time.sleep(0.1)\n"
        "    return acltwin.upsample_nearest_exact2d_backward(**given)\n"
    )
    words = ["verify", "slow.py:kernel", OPERATOR, "--level", "quick", "--dtype", "float32"]
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", ON_A_TERMINAL, *words]
    with subprocess.Popen(
        command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        os.close(theirs)
        shown = b""
        while not any(int(done) >= 4 for done in re.findall(rb"(\d+)/16  failed 0", shown)):
            shown += os.read(ours, 4096)
        os.write(ours, b"\x03")
        printed, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 1
    assert b" s left" in shown
    assert "interrupted; --resume continues" in printed
    before = golden.Run.load(".acltwin/run.json")
    assert 4 <= len(before.records) < 16
    called = len(Path("calls").read_text())
    assert main([*words, "--resume"]) == 0
    assert golden.Run.load(".acltwin/run.json").passed
    assert len(Path("calls").read_text()) - called <= 16 - len(before.records)


def test_only_what_is_the_same_is_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert _verify("right", "--only", "down/") == 0
    first = golden.Run.load(".acltwin/run.json")
    assert _verify("right", "--only", "down/", "--ftz", "--resume") == 2
    assert "belongs to another run, with the options {" in capsys.readouterr().err
    assert _verify("right", "--only", "down/", "--resume") == 0
    resumed = golden.Run.load(".acltwin/run.json")
    assert resumed.records == first.records  # with the seconds of the first time: nothing was called
    assert _verify("right", "--only", "down/", "--map-rule", "torch", "--resume") in (0, 1)
    torch = golden.Run.load(".acltwin/run.json")
    assert {record.case.map_rule for record in torch.records} == {"torch"}
    assert len(torch.records) == len(first.records)


def test_several_workers_give_the_same_run() -> None:
    assert _verify("right", "--json", "one.json") == 0
    assert _verify("right", "--json", "two.json", "--jobs", "3") == 0
    one, two = (golden.Run.load(path) for path in ("one.json", "two.json"))
    assert [record.case.name for record in one.records] == [record.case.name for record in two.records]
    assert [record.verdict for record in one.records] == [record.verdict for record in two.records]


def test_a_run_survives_its_file() -> None:
    assert _verify("forgets_a_cell") == 1
    run = golden.Run.load(".acltwin/run.json")
    again = golden.Run.from_json(json.loads(json.dumps(run.to_json())))
    assert again.text() == run.text()
    assert again.failures[0].output is not None
    with pytest.raises(ValueError, match="not a run"):
        golden.Run.from_json({"schema": "else"})
    Path("broken.json").write_text("{")
    with pytest.raises(ValueError, match="is not a run that can be read"):
        golden.Run.load("broken.json")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_loops_count_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "PAUSE", 0)
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        with commands.counting_line("cases", 2, stream) as step:
            step()
            step()
    assert "cases 1/2" in terminal.getvalue()
    assert "cases 2/2" in terminal.getvalue()
    assert pipe.getvalue() == ""
