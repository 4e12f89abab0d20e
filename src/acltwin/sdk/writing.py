"""Writing a tree over an older one without touching anybody else's files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

RECORD = ".acltwin-sdk.json"  # what was written here, so that it can be told from what others have put there
NAMED = 3  # of many files in the way


@dataclass(frozen=True)
class Link:
    target: str


Entry = bytes | Link


class FilesInTheWayError(Exception):
    """The directory has files that acltwin did not write."""


def write(root: Path, entries: Mapping[str, Entry], force: bool) -> None:
    """Write all entries and remove what an older tree had beyond them; nothing at all if files are in the way."""
    written = _read_record(root)
    in_the_way = sorted(name for name, entry in entries.items() if _is_anothers(root / name, entry, written.get(name)))
    if in_the_way and not force:
        more = f" and {len(in_the_way) - NAMED} more" if len(in_the_way) > NAMED else ""
        raise FilesInTheWayError(
            f"{root} has files that acltwin did not write, or that were changed since: {', '.join(in_the_way[:NAMED])}"
            f"{more}; choose another directory, or pass --force to overwrite them"
        )
    for name in written.keys() - entries.keys():
        if _fingerprint_at(root / name) == written[name]:
            (root / name).unlink()
    for name, entry in entries.items():
        _write_entry(root / name, entry)
    _write_entry(root / RECORD, json.dumps({name: _fingerprint(entry) for name, entry in entries.items()}).encode())


def _write_entry(path: Path, entry: Entry) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # a link is not followed, and a running program keeps the old file
    if isinstance(entry, Link):
        path.symlink_to(entry.target)
    else:
        path.write_bytes(entry)


def _is_anothers(path: Path, entry: Entry, written: str | None) -> bool:
    return os.path.lexists(path) and _fingerprint_at(path) not in (written, _fingerprint(entry))


def _fingerprint(entry: Entry) -> str:
    return f"link {entry.target}" if isinstance(entry, Link) else f"sha256 {hashlib.sha256(entry).hexdigest()}"


def _fingerprint_at(path: Path) -> str | None:
    if path.is_symlink():
        return _fingerprint(Link(os.readlink(path)))
    return _fingerprint(path.read_bytes()) if path.is_file() else None


def _read_record(root: Path) -> dict[str, str]:
    try:
        record = json.loads((root / RECORD).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
