"""The findings of a run as one document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acltwin._writing import write_text

VERSION = 1


def write(path: Path, program: Sequence[str], status: int, findings: list[dict[str, Any]]) -> None:
    kinds = Counter(finding["kind"] for finding in findings)
    summary = {"findings": len(findings), **dict(sorted(kinds.items()))}
    contents = {"version": VERSION, "program": [*program], "exit": status, "findings": findings, "summary": summary}
    write_text(path, json.dumps(contents, indent=2) + "\n")
