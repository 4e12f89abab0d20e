"""Our own examples, one per operator and language: they run and print what they should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from acltwin.ops import OPERATORS
from support.sdk_tree import ROOT, STRICT, compile_program, run_program

CPP, PYTHON = ROOT / "examples" / "cpp", ROOT / "examples" / "python"
IN_CPP = {
    "two_phases": "gradInput: 52 68\n",
    "upsample_nearest3d_backward": "gradInput: 52 68\n",
    "upsample_nearest_exact3d_backward": "gradInput: 0 0 3 30 3 30 9 90\n",
    "upsample_nearest_exact2d_backward": "out: 4 4\nnext out: 14 22\n",
    "max_unpool3d_backward": "out: 60 10\nstatus 507015\nAclNN_Runtime_Error(EZ9903)",
    "max_pool3d_with_argmax_backward": "gradInput: 0 3 0 4 0\n",
    "upsample_nearest3d": "out: 1 1 2 2 3\n",
    "upsample_nearest_exact3d": "out: 1 1 2 3 3\nstatus 161002\nAclNN_Parameter_Error(EZ1001)",
    "upsample_nearest_exact2d": "out: 10 20 30 110 120 130 110 120 130\n",
    "max_unpool3d": "outRef: 0 5 7 0\nstatus 507015\nAclNN_Runtime_Error(EZ9903)",
    "max_pool3d_with_argmax": "out: 9 9 8\nindices: 1 1 3\n",
}
IN_PYTHON = {
    "two_phases": "gradInput: 52.0 68.0\n",
    "upsample_nearest3d_backward": "gradInput: 52.0 68.0\n",
    "upsample_nearest_exact3d_backward": "channel 0: 0.0 3.0 3.0 9.0\nchannel 1: 0.0 30.0 30.0 90.0\n",
    "upsample_nearest_exact2d_backward": "out: 10.0 18.0\n161002 AclNN_Parameter_Error(EZ1001)",
    "max_unpool3d_backward": "out: 60.0 10.0\n507015 AclNN_Runtime_Error(EZ9903)",
    "max_pool3d_with_argmax_backward": "gradInput: 0.0 3.0 0.0 4.0 0.0\n",
    "upsample_nearest3d": "out: 1.0 1.0 2.0 2.0 3.0\n",
    "upsample_nearest_exact3d": "out: 1.0 1.0 2.0 3.0 3.0\n161002 AclNN_Parameter_Error(EZ1001)",
    "upsample_nearest_exact2d": "out: 10 20 30 110 120 130 110 120 130\n",
    "max_unpool3d": "outRef: 0.0 5.0 7.0 0.0\n507015 AclNN_Runtime_Error(EZ9903)",
    "max_pool3d_with_argmax": "out: 9.0 9.0 8.0\nindices: 1 1 3\n",
}


def test_every_operator_has_its_examples() -> None:
    assert {path.stem for path in CPP.glob("*.cpp")} == set(IN_CPP) == {*OPERATORS, "two_phases"}
    assert {path.stem for path in PYTHON.glob("*.py")} == set(IN_PYTHON) == {*OPERATORS, "two_phases"}


@pytest.mark.parametrize("name", IN_CPP)
def test_cpp(tree: Path, tmp_path: Path, name: str) -> None:
    compile_program(tree, CPP / f"{name}.cpp", tmp_path / name, ("-std=c++11", *STRICT))
    done = run_program(tree, tmp_path / name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(IN_CPP[name])


@pytest.mark.parametrize("name", IN_PYTHON)
def test_python(name: str) -> None:
    done = subprocess.run([sys.executable, PYTHON / f"{name}.py"], text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(IN_PYTHON[name])
