"""Installs acltwin with extras, and builds it while pip unpacks what they need, which uses one core.

python tools/install.py [--constraint FILE] [EXTRA ...]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIP = (sys.executable, "-m", "pip", "--quiet")


def needed(project: dict[str, object], extras: list[str]) -> Iterator[str]:
    """The requirements of the package and of extras, which may name others of its extras."""
    optional: dict[str, list[str]] = project["optional-dependencies"]  # type: ignore[assignment]
    yield from project["dependencies"]  # type: ignore[misc]
    for requirement in (one for extra in extras for one in optional[extra]):
        own = re.fullmatch(rf"{project['name']}\[(\w+)\]", requirement)
        yield from needed(project, [own[1]]) if own else [requirement]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extras", nargs="*", metavar="EXTRA")
    parser.add_argument("--constraint", metavar="FILE", default="/dev/null")
    options = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    with tempfile.TemporaryDirectory() as folder:
        build = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, str(ROOT)]
        with subprocess.Popen(build) as building:
            wanted = dict.fromkeys(needed(project, options.extras))
            subprocess.run([*PIP, "install", "--constraint", options.constraint, *wanted], check=True)
        if building.returncode != 0:
            sys.exit(building.returncode)
        (wheel,) = Path(folder).glob("*.whl")
        subprocess.run([*PIP, "install", "--no-deps", "--force-reinstall", str(wheel)], check=True)


if __name__ == "__main__":
    main()
