"""The first hours of five users, as programs that keep what their first lines promise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.promises import kept
from support.sdk_tree import ROOT

HOURS = sorted((ROOT / "examples" / "first_hours").iterdir())


@pytest.mark.parametrize("program", HOURS, ids=lambda program: program.name)
def test_an_hour(program: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [sys.executable] if program.suffix == ".py" else ["bash"]
    done = subprocess.run(
        [*words, str(program)],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    kept(program, done)


def test_there_are_five_users() -> None:
    assert len(HOURS) == 5
