"""The SDK tree of a test run, and programs built against it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
# The two link lines that vendor builds use.
LINK_LINES = {
    "one operator library": ("-lascendcl", "-lnnopbase", "-lopapi"),
    "operator libraries by domain": ("-lacl_rt", "-lnnopbase", "-lopapi_math", "-lopapi_nn", "-lopapi_cv"),
}
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")


def compile_program(
    tree: Path,
    source: Path,
    program: Path,
    options: Sequence[str] = (),
    link: Sequence[str] = (),
    compiler: str = "g++",
) -> None:
    include = tree / "include"
    folders = (f"-I{folder}" for folder in (include, include / "aclnn", include / "aclnnop"))
    command = [compiler, *options, str(source), "-o", str(program), *folders]
    command += [f"-L{tree / 'lib64'}", *(link or LINK_LINES["one operator library"])]
    done = subprocess.run(command, text=True, capture_output=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


def run_program(tree: Path, *command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run with the loader's path as set_env.sh sets it."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tree / "lib64"), **variables}
    return subprocess.run([str(word) for word in command], env=environment, text=True, capture_output=True, timeout=300)


def sdk_command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """``acltwin sdk`` with these words."""
    return subprocess.run([sys.executable, "-m", "acltwin", "sdk", *map(str, words)], text=True, capture_output=True)
