"""What commands write is written whole or not at all, and a verdict is printed whatever becomes of its files."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from acltwin import golden
from acltwin.cli import main
from support.disk import almost_full, contents
from support.processes import environment_for

OPERATOR = "upsample_nearest_exact2d_backward"
KERNELS = Path(__file__).parent.parent / "support" / "golden_kernels.py"
CASE = ["--level", "quick", "--only", "frac-up/float16/coded"]
VERIFY = ["verify", f"{KERNELS}:right", OPERATOR, *CASE]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("kernel", "status", "word"), [("right", 2, "passed 1"), ("returns_nan", 1, "failed 1")])
def test_a_full_disk_costs_neither_the_record_nor_the_verdict(
    kernel: str, status: int, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(VERIFY) == 0
    before = contents(Path())
    capsys.readouterr()
    with almost_full(200):
        assert main(["verify", f"{KERNELS}:{kernel}", OPERATOR, *CASE, "--explain-seconds", "0"]) == status
    printed = capsys.readouterr()
    assert word in printed.out
    (line,) = printed.err.splitlines()
    assert line.startswith("acltwin verify: .acltwin/run.json cannot be written: File too large; ")
    assert contents(Path()) == before
    assert main([*VERIFY, "--resume"]) == 0


def test_a_report_that_cannot_be_written_costs_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    with almost_full(4_000):
        assert main([*VERIFY, "--report", "report.html"]) == 2
    printed = capsys.readouterr()
    assert "passed 1" in printed.out
    assert printed.err.startswith("acltwin verify: report.html cannot be written: ")
    assert set(contents(Path())) == {".acltwin/run.json"}


@pytest.mark.parametrize("option", ["--json", "--report"])
def test_a_place_that_cannot_be_written_is_refused_before_the_run(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").write_text("")
    Path("counting.py").write_text("def kernel(**given): open('called', 'w'); return None\n")
    assert main(["verify", "counting.py:kernel", OPERATOR, *CASE, option, "file/below.html"]) == 2
    assert "acltwin verify: file/below.html cannot be written: file is not a directory" in capsys.readouterr().err
    assert not Path("called").exists()


WRITING = {
    "record": [*VERIFY],
    "report": ["report", "run.json", "-o", "out/report.html"],
    "npy": ["golden", OPERATOR, *CASE, "-o", "out"],
    "bin": ["golden", OPERATOR, *CASE, "-o", "out", "--format", "bin"],
    "pt": ["golden", OPERATOR, *CASE, "-o", "out", "--format", "pt"],
    "atk": ["golden", OPERATOR, *CASE, "-o", "out/cases.json", "--format", "atk"],
    "ttk": ["golden", OPERATOR, *CASE, "-o", "out", "--format", "ttk"],
    "ttk-csv": ["golden", OPERATOR, *CASE, "-o", "out/cases.csv", "--format", "ttk-csv"],
    "ttk-kernel-csv": ["golden", OPERATOR, *CASE, "-o", "out/cases.csv", "--format", "ttk-kernel-csv"],
    "score": ["score", OPERATOR, *CASE, "--no-advice", "--json", "out/score.json"],
    "sdk": ["sdk", "out"],
    "check": ["check", "--json", "out/findings.json", sys.executable, "-c", "import acltwin.acl as acl; acl.init()"],
}


@pytest.mark.parametrize("words", WRITING.values(), ids=list(WRITING))
def test_every_file_survives_a_full_disk(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run = golden.verify(lambda **given: np.zeros(1), OPERATOR, only=CASE[-1], level="quick", explain_seconds=0)
    run.save("run.json")
    Path("out").mkdir()
    assert main(words) in (0, 1)
    before = contents(Path())
    capsys.readouterr()
    with almost_full(10):
        assert main(words) in (1, 2)
    line = capsys.readouterr().err.strip().splitlines()[-1]
    assert line.startswith(f"acltwin {words[0]}: ")
    assert "cannot be written" in line
    assert "File too large" in line
    assert contents(Path()) == before, "old files are as they were, and there are no new ones"


SAVES = """
import sys
from acltwin.golden.run.run import Run
run = Run.load(sys.argv[1])
print("ready", flush=True)
while True:
    run.save(sys.argv[1])
"""


def test_a_killed_process_leaves_a_whole_record() -> None:
    """SIGKILL at random times while a record is saved again and again."""
    seed = random.randrange(2**32)  # the moments differ from run to run in any case
    print(f"seed {seed}")
    moments = random.Random(seed)
    golden.verify(lambda **given: np.zeros(1), OPERATOR, level="quick", explain_seconds=0).save("run.json")
    whole = Path("run.json").read_bytes()
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", SAVES, "run.json"], stdout=subprocess.PIPE, env=environment_for()
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(moments.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
        assert Path("run.json").read_bytes() == whole
