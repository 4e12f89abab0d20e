"""Golden's rooms import in one direction, wherever in a file the import is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import acltwin.golden

ROOT = Path(acltwin.golden.__file__).parent
PACKAGE = "acltwin.golden"
BELOW = {  # what each room may use beside itself
    "cases": {"judge"},
    "judge": {"cases"},
    "causes": {"cases", "judge"},
    "files": {"cases", "judge"},
    "report": {"cases", "judge", "causes", "files"},
    "run": {"cases", "judge", "causes", "files", "report"},
    "wrong": {"cases", "judge", "files"},
    "commands": {"cases", "judge", "causes", "files", "report", "run", "wrong"},
}
FILES = [path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT]


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that running a file can import: not those for types alone, but those that a text names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from (part.value for part in node.args if isinstance(part, ast.Constant))
        yield from imported(node)


def forbidden(source: str, room: str) -> set[str]:
    modules = set(imported(ast.parse(source)))
    rooms = {module.split(".")[2] for module in modules if module.startswith(f"{PACKAGE}.")}
    above = {name for name in rooms if name not in {*BELOW[room], room}}
    return above | ({"argparse"} if "argparse" in modules and room != "commands" else set())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_from_rooms_below_its_own(path: Path) -> None:
    assert not forbidden(path.read_text(), path.relative_to(ROOT).parts[0])


def test_every_file_is_in_a_room() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in FILES} == set(BELOW)
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py"}


@pytest.mark.parametrize(
    "source",
    [
        "from acltwin.golden.run.run import Run",
        "from acltwin.golden import report",
        "def text(self):\n    from acltwin.golden.report import run_text",
        "import importlib\nimportlib.import_module('acltwin.golden.commands')",
        "import argparse",
    ],
)
def test_an_import_from_above_is_found(source: str) -> None:
    assert forbidden(source, "judge")


def test_types_may_come_from_above() -> None:
    assert not forbidden("if TYPE_CHECKING:\n    from acltwin.golden.run.run import Run", "judge")
