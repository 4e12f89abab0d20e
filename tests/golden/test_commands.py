"""The commands ``golden``, ``verify`` and ``compare``: what they print and how they end."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from acltwin import golden
from acltwin.cli import main
from acltwin.golden import progress

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
        (["golden", OPERATOR], 2, "give a directory with -o"),
        (["golden", OPERATOR, "--dtype", "int8", "--list"], 2, "has no int8"),
        (["verify"], 2, "name a target"),
        (["verify", "kernel", OPERATOR], 2, "names no function"),
        (["verify", "a:b"], 4, "no case was chosen"),
        (["verify", "a:b", "missing.yaml"], 2, "there is no file missing.yaml"),
        (["verify", "--outputs", "nowhere"], 2, "there is no directory nowhere"),
        (["verify", "a:b", OPERATOR, "--resume"], 2, "there is no run to go on with"),
        (["compare", "a.npy"], 2, "with what?"),
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


# A shell lets programs in the background ignore interrupts, and children inherit that.
HEEDING_INTERRUPTS = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from acltwin.cli import main; sys.exit(main(sys.argv[1:]))"
)


def test_an_interrupted_run_is_resumed() -> None:
    Path("slow.py").write_text(
        "import time, pathlib, acltwin\n"
        "def kernel(**given):\n"
        "    with open('calls', 'a') as file: file.write('x')\n"
        "    time.sleep(0.15)\n"
        "    return acltwin.upsample_nearest_exact2d_backward(**given)\n"
    )
    command = [sys.executable, "-c", HEEDING_INTERRUPTS, "verify", "slow.py:kernel", OPERATOR, "--level", "quick"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        while not Path("calls").exists() or len(Path("calls").read_text()) < 4:
            time.sleep(0.05)
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the whole group gets it
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "interrupted; --resume continues" in printed
    before = golden.Run.load(".acltwin/run.json")
    assert 0 < len(before.records) < 40
    called = len(Path("calls").read_text())
    done = subprocess.run([*command, "--resume"], stdout=subprocess.PIPE, text=True, check=True)
    assert "40 cases   passed 40" in done.stdout
    assert len(Path("calls").read_text()) - called <= 40 - len(before.records)


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
    monkeypatch.setattr(progress, "PAUSE", 0)
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        with progress.counting_line("cases", 2, stream) as step:
            step()
            step()
    assert "cases 1/2" in terminal.getvalue()
    assert "cases 2/2" in terminal.getvalue()
    assert pipe.getvalue() == ""
