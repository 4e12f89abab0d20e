"""Executes the examples of the README and the documentation.

A ``python`` block is run, with the results of ``>>>`` lines compared. In a ``console`` block every line that begins
with ``$`` is run, and what it prints is compared with the lines below it. ``...`` stands for any text. Blocks of other
languages (``sh``, ``text``) are not run: they are for commands that build or install.
"""

import doctest
import os
import subprocess
import sys
from pathlib import Path

from sybil import Example, Sybil
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

ROOT = Path(__file__).parent
# Read once, when Triton is first imported, which PyTorch may do before the example that needs it.
os.environ.setdefault("TRITON_INTERPRET", "1")
# Most of the time of JAX's tests is LLVM's, which makes programs fast that run once.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def split_commands(block: str) -> list[tuple[str, str]]:
    """(command, expected output) pairs of a console block."""
    pairs = []
    for part in ("\n" + block).split("\n$ ")[1:]:
        command, _, expected = part.partition("\n")
        pairs.append((command, expected))
    return pairs


def run_console(example: Example) -> str | None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # this Python and the commands beside it
    for command, expected in split_commands(example.parsed):
        if command.startswith(("make", "pip")):
            return f"$ {command}\na test must not build or install; put this into a `sh` block, which is not run"
        done = subprocess.run(
            command,
            shell=True,
            cwd=ROOT,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if not doctest.OutputChecker().check_output(expected, done.stdout, FLAGS):
            return f"$ {command}\nexpected:\n{expected}\ngot (exit code {done.returncode}):\n{done.stdout}"
    return None


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=FLAGS),
        CodeBlockParser(language="console", evaluator=run_console),
    ],
    patterns=["README.md", "docs/**/*.md", "docs/*.md"],
).pytest()
