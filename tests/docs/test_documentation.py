"""The written face of the project: its pictures are the library's, its commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from acltwin import __version__
from acltwin.ops import INTERFACES, OpSpec

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=ROOT, text=True, capture_output=True)


def test_pictures_are_what_the_library_says() -> None:
    done = run("docs/pictures.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_pictures_are_all_used() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    for picture in (ROOT / "docs" / "pictures").glob("*.svg"):
        assert any(picture.name in page for page in pages), f"no page shows {picture.name}"


@pytest.mark.parametrize("spec", INTERFACES.values(), ids=lambda spec: spec.name)
def test_every_operator_is_on_the_page_of_its_kind_and_in_the_readme(spec: OpSpec) -> None:
    page = (ROOT / "docs" / "operators" / f"{spec.family}.md").read_text(encoding="utf-8")
    assert f"\n### {spec.title}\n" in page
    assert f"{{operator}} {spec.name}\n" in page
    assert f"docs/operators/{spec.family}.md" in README
    assert spec.c_only or spec.is_gradient or f"`{spec.name}`" in README


def test_commands_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)", README))
    assert {"run", "test"} <= named <= targets


def test_files_linked_from_the_readme_exist() -> None:
    for link in re.findall(r"\]\(([^)#:]+)[)#]", README):
        assert (ROOT / link).is_file(), f"README links to {link}, which is not there"


def test_quick_start_is_short() -> None:
    block = README.split("```python\n")[1].split("```")[0]
    assert len(block.splitlines()) <= 20


def test_version_is_the_same_everywhere() -> None:
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
