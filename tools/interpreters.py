"""Runs one wheel on several Pythons: each gets an environment of its own, with the wheel and the test tools.

    python tools/interpreters.py dist/acltwin-*.whl /usr/bin/python3.12 /usr/bin/python3.14 ...

On each, every operator's samples (``acltwin run``), the examples, and the tests of the array functions, the aclnn
interface, the command line, the golden tools, JAX and Dask are run. PyTorch is not installed, because the tests need
exactly one release of it, which one Python alone may have: tests that use it are skipped, and counted.

It needs nothing but the standard library and gcc, so that it runs where a Python lives: in a container, or a chroot.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = "jax,dask,golden"
TOOLS = ["pytest>=8", "pytest-xdist>=3.6", "hypothesis>=6.131", "sybil>=6"]
SUITES = ["tests/arrays", "tests/acl", "tests/ops", "tests/test_rules.py", "tests/test_cli.py"]
SUITES += ["tests/golden/test_cases.py", "tests/golden/test_commands.py"]
SUITES += [
    "tests/dask_arrays/test_results.py",
    "tests/dask_arrays/test_checks.py",
    "tests/jax_arrays/test_same_bits.py",
]
EXAMPLES = ["tests/sdk/test_examples.py", "-k", "python"]


def run(*words: str | Path, env: dict[str, str] | None = None) -> str:
    """What the command prints; its failure ends this one."""
    print("$", *words, flush=True)
    done = subprocess.run(words, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nfailed with {done.returncode}: {' '.join(map(str, words))}")
    return done.stdout


def check(wheel: Path, python: str) -> str:
    """Runs everything on one Python; returns what to say about it."""
    version = run(python, "-c", "import platform; print(platform.python_version())").strip()
    folder = ROOT / "build" / "interpreters" / version
    run(python, "-m", "venv", "--clear", folder)
    scripts = folder / "bin"
    run(scripts / "pip", "install", "--quiet", f"{wheel}[{EXTRAS}]", *TOOLS)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": ""}
    installed = run(scripts / "python", "-c", "import acltwin; print(acltwin.__file__)", env=environment).strip()
    if not Path(installed).is_relative_to(folder):
        raise SystemExit(f"the tests would run on {installed}, expected the wheel in {folder}")
    run(scripts / "acltwin", "run", env=environment)
    pytest = [scripts / "python", "-m", "pytest", "-p", "no:cacheprovider"]
    run(*pytest, *EXAMPLES, env=environment)
    absent = {**environment, "PYTHONPATH": str(ROOT / "tests")}
    summary = run(*pytest, "-p", "support.absent", "-o", "addopts=--import-mode=importlib", *SUITES, env=absent)
    return f"Python {version}: {summary.splitlines()[-1].strip('= ')}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("python", nargs="+", help="an interpreter")
    given = parser.parse_args()
    wheel = given.wheel.resolve()
    print("\n".join([check(wheel, python) for python in given.python]))


if __name__ == "__main__":
    main()
