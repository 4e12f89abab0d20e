"""Programs that say in their first lines what they print."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path


def promised(source: Path) -> list[str]:
    """What stands indented below "It prints:". A line may go on where the promise ends."""
    text = re.sub(r"^(//|#)", "", source.read_text(), flags=re.MULTILINE)
    found = re.search(r"It prints:\n\n?((?: {3,}.+\n)+)", text)
    assert found is not None, f"{source.name} does not say what it prints"
    return [line.strip() for line in found.group(1).splitlines()]


def kept(source: Path, done: subprocess.CompletedProcess[str]) -> None:
    assert (done.returncode, done.stderr) == (0, "")
    printed = done.stdout.splitlines()
    assert len(printed) >= len(promised(source))
    for line, start in zip(printed, promised(source), strict=False):
        assert line.startswith(start)
