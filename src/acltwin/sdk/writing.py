"""Writing a tree over an older one without touching anybody else's files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from acltwin._writing import BESIDE, NotWrittenError, write_bytes

RECORD = ".acltwin-sdk.json"  # what was written here, so that it can be told from what others have put there
LARGEST_RECORD = 2**20
NAMED = 3  # of many files in the way

_NAME = re.compile(r"(?!\.)[\w.+-]+(/(?!\.)[\w.+-]+)*", re.ASCII)  # of what trees have: it cannot lead out of them


@dataclass(frozen=True)
class Link:
    target: str


Entry = bytes | Link


class FilesInTheWayError(Exception):
    """The directory has files that acltwin did not write."""


def write(root: Path, entries: Mapping[str, Entry], force: bool) -> None:
    """Write all entries and remove what an older tree had beyond them; nothing at all if something is in the way."""
    try:
        written = _read_record(root)
        _check(root, entries, written, force)
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=BESIDE, dir=root) as place:
            _write(root, entries, written, Path(place))
    except NotWrittenError:
        raise
    except OSError as error:
        raise NotWrittenError(Path(error.filename or root), error) from error


def _check(root: Path, entries: Mapping[str, Entry], written: Mapping[str, set[str]], force: bool) -> None:
    folders = _folders(entries)
    in_the_way = [folder for folder in folders if _kind(root / folder) not in (0, stat.S_IFDIR)]
    for name in (*entries, RECORD):
        if any(name.startswith(f"{folder}/") for folder in in_the_way):
            continue  # what is seen there lies elsewhere
        if _kind(root / name) == stat.S_IFDIR:
            raise FilesInTheWayError(
                f"{root / name} is a directory where a file belongs; move it elsewhere, or choose another directory"
            )
        known = {*written.get(name, ()), _fingerprint(entries[name])} if name in entries else None
        if _is_anothers(root / name, known):
            in_the_way.append(name)
    if in_the_way and not force:
        more = f" and {len(in_the_way) - NAMED} more" if len(in_the_way) > NAMED else ""
        named = ", ".join(sorted(in_the_way)[:NAMED])
        raise FilesInTheWayError(
            f"{root} has files that acltwin did not write, or that were changed since: {named}{more}; "
            "choose another directory, or pass --force to overwrite them"
        )


def _write(root: Path, entries: Mapping[str, Entry], written: Mapping[str, set[str]], stage: Path) -> None:
    """Everything that needs room is written first, and then moved. If that is interrupted, the record knows both."""
    staged = {name: stage / str(number) for number, name in enumerate(entries)}
    for name, entry in entries.items():
        if isinstance(entry, Link):
            staged[name].symlink_to(entry.target)
        else:
            write_bytes(staged[name], entry, durable=False)
    now = {name: {_fingerprint(entry)} for name, entry in entries.items()}
    both = {name: now.get(name, set()) | written.get(name, set()) for name in {**now, **written}}
    _write_record(root, both, stage)
    for folder in _folders(entries):
        if _kind(root / folder) not in (0, stat.S_IFDIR):
            (root / folder).unlink()  # a link is not followed
        (root / folder).mkdir(exist_ok=True)
    for name in entries:
        staged[name].replace(root / name)  # a running program keeps the old file
    for name in written.keys() - entries.keys():
        if not _leads_elsewhere(root, name) and _fingerprint_at(root / name) in written[name]:
            (root / name).unlink(missing_ok=True)
    _write_record(root, now, stage)


def _write_record(root: Path, known: Mapping[str, set[str]], stage: Path) -> None:
    """Fingerprints by name; a list of them while files are being replaced."""
    record = {name: list(prints) if len(prints) != 1 else next(iter(prints)) for name, prints in known.items()}
    write_bytes(stage / RECORD, json.dumps(record).encode())
    (stage / RECORD).replace(root / RECORD)


def _read_record(root: Path) -> dict[str, set[str]]:
    """What is not a record of ours, of files below ``root``, is left out."""
    path = root / RECORD
    if _kind(path) != stat.S_IFREG or path.stat().st_size > LARGEST_RECORD:
        return {}
    try:
        record = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return {}
    found = record.items() if isinstance(record, dict) else ()
    return {
        name: {one for one in (prints if isinstance(prints, list) else [prints]) if isinstance(one, str)}
        for name, prints in found
        if _NAME.fullmatch(name)
    }


def _folders(names: Iterable[str]) -> list[str]:
    """Those that the files lie in, outer ones first."""
    return sorted({str(folder) for name in names for folder in PurePosixPath(name).parents} - {"."})


def _leads_elsewhere(root: Path, name: str) -> bool:
    return any((root / folder).is_symlink() for folder in _folders([name]))


def _is_anothers(path: Path, known: set[str] | None) -> bool:
    """Whether something else is there than what we write; of the record, than a file."""
    kind = _kind(path)
    return kind != 0 and (kind != stat.S_IFREG if known is None else _fingerprint_at(path) not in known)


def _kind(path: Path) -> int:
    """Of what is there, links not followed; 0 for nothing."""
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _fingerprint(entry: Entry) -> str:
    return f"link {entry.target}" if isinstance(entry, Link) else f"sha256 {hashlib.sha256(entry).hexdigest()}"


def _fingerprint_at(path: Path) -> str:
    """Empty for what is neither a link nor a file."""
    kind = _kind(path)
    if kind == stat.S_IFLNK:
        return _fingerprint(Link(os.readlink(path)))
    if kind != stat.S_IFREG:
        return ""
    with path.open("rb") as file:
        return f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
