"""The table of environment variables is complete."""

from __future__ import annotations

import re
from pathlib import Path

from acltwin.explain.words import VARIABLES

ROOT = Path(__file__).parents[2]
OF_TESTS = {"ACLTWIN_DOCUMENTS", "ACLTWIN_STRESS_SECONDS"}
OF_THE_BUILD = {"ACLTWIN_ABLATE"}  # a macro in quotation marks
NAME = re.compile(r'"((?:ACLTWIN|ASCEND)_[A-Z_]*[A-Z])"')


def test_the_table_has_every_variable_that_the_code_reads() -> None:
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "native").rglob("*.cpp"), *(ROOT / "native").rglob("*.h")]
    declarations = {"words.py", "environment_names.cpp"}  # which read nothing
    sources = [path for path in files if path.name not in declarations and "tests" not in path.parts]
    read = {name for path in sources for name in NAME.findall(path.read_text(encoding="utf-8"))}
    page = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `(ACLTWIN_\w+)` \|", page, re.MULTILINE))
    ours = {name for name in read if name.startswith("ACLTWIN_")}
    assert rows == ours - OF_TESTS - OF_THE_BUILD
    assert [name for name in read - ours if name not in page] == []  # the vendor's stand in sentences
    assert set(VARIABLES) <= read, "a variable is documented that nothing reads"
