"""The stress of the runtime, whose threads destroy what others use, in check mode: nothing breaks, nothing hangs.

What it does right, and only that, is a program of the gallery: right/stress.cpp.
"""

from __future__ import annotations

import os
from pathlib import Path

from support.gallery import run_checked
from support.sdk_tree import ROOT, STRICT, compile_program


def test_the_stress_of_the_runtime(tree: Path, tmp_path: Path) -> None:
    program = tmp_path / "stress"
    options = ("-std=c++11", *STRICT, "-pthread", f"-Wl,-rpath,{tree / 'lib64'}")
    compile_program(tree, ROOT / "tests" / "cpp" / "test_stress.cpp", program, options)
    seconds = os.environ.get("ACLTWIN_STRESS_SECONDS", "3")
    run = run_checked([str(program)], tmp_path, ACLTWIN_STRESS_SECONDS=seconds)
    assert run.status == 0, run.printed[-4000:]
    assert "use.no-init" in run.ids, run.ids  # it was checked
    assert run.printed.rstrip().splitlines()[-1].startswith("acltwin check: "), run.printed[-1000:]
