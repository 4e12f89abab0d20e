"""What the generators share: files that are written from declarations, committed, and checked for differences."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from declarations import ROOT


def outdated(expected: Mapping[Path, str], mark: str) -> list[Path]:
    """Files that are missing or differ, and files with the generator's mark that it would no longer write."""
    differ = [path for path, text in expected.items() if not path.exists() or path.read_text() != text]
    folders = {path.parent for path in expected if path.parent.exists()}
    present = (path for folder in folders for path in folder.iterdir() if path.is_file())
    orphans = [path for path in present if path not in expected and mark.encode() in path.read_bytes()]
    return sorted(differ + orphans)


def run(description: str, expected: Mapping[Path, str], mark: str) -> int:
    """The command line of a generator: write what has changed, or with ``--check`` only say so."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if anything would change")
    check = parser.parse_args().check
    paths = outdated(expected, mark)
    for path in paths:
        print(f"{'outdated' if check else 'writing'}: {path.relative_to(ROOT)}")
        if check:
            continue
        if path in expected:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(expected[path])
        else:
            path.unlink()
    return int(check and bool(paths))
