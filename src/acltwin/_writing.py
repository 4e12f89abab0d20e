"""Files that are written whole or not at all: beside their place first, and then moved there."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

BESIDE = ".acltwin-"  # how the names of unfinished files begin; only a killed process leaves one


class NotWrittenError(OSError):
    """A file could not be written; what was there before is unchanged."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(error.errno, error.strerror or str(error), str(path))
        self.reason = _reason(error)

    def __str__(self) -> str:
        advice = "make room, or choose" if self.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else "choose"
        return f"{self.filename} cannot be written: {self.reason}; {advice} another place"


@contextmanager
def replacing(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """The new content of a file: it takes its place when the block ends without an exception.

    ``durable`` content is on the disk before it replaces the old one. Links are followed; pipes and devices, which
    cannot be replaced, are written directly.
    """
    try:
        place, mode = _place_of(path)
        if place is None:
            with path.open("wb") as file:
                yield file
            return
        beside = place.with_name(BESIDE + secrets.token_hex(8))
        try:
            with beside.open("xb") as file:
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            beside.replace(place)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise NotWrittenError(path, error) from error


def write_bytes(path: Path, content: bytes, *, durable: bool = True) -> None:
    with replacing(path, durable=durable) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """As UTF-8; what UTF-8 cannot hold, as halves of pairs of UTF-16, is shown escaped."""
    write_bytes(path, text.encode(errors="backslashreplace"))


def make_sure_of(path: Path) -> None:
    """NotWrittenError for a place that cannot be written, before the work is done whose result belongs there."""
    try:
        place, _ = _place_of(path)
        if place is not None:
            beside = place.with_name(BESIDE + secrets.token_hex(8))
            try:
                beside.touch(exist_ok=False)
            finally:
                beside.unlink(missing_ok=True)
    except OSError as error:
        raise NotWrittenError(path, error) from error


def _place_of(path: Path) -> tuple[Path | None, int | None]:
    """What a finished file replaces, and the permissions that stay; None for a pipe or a device. Makes the folder."""
    try:
        found = path.stat()
    except FileNotFoundError:
        place = Path(os.path.realpath(path))
        place.parent.mkdir(parents=True, exist_ok=True)
        return place, None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(0, "it is a directory")
    if not os.access(path, os.W_OK):
        raise PermissionError(0, "it is protected from being written")
    if not stat.S_ISREG(found.st_mode):
        return None, None
    return Path(os.path.realpath(path)), found.st_mode & 0o777


def _reason(error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError) and error.filename:
        place = Path(error.filename)
        blocking = next((one for one in (place, *place.parents) if one.exists() and not one.is_dir()), place)
        return f"{blocking} is not a directory"
    return error.strerror or str(error)
