"""Names that a program needs and does not have: out of its file, be it a program, a library, an object or a source."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import NamedTuple

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little-endian
_SYMBOL_TABLES = (2, 11)  # SHT_SYMTAB, SHT_DYNSYM
_OPERATOR = re.compile(r"\baclnn[A-Z]\w*")
_HEADER = re.compile(r'^\s*#\s*include\s*[<"](?:aclnnop/)?(aclnn_\w+\.h)[>"]', re.MULTILINE)


class Needed(NamedTuple):
    names: frozenset[str]  # functions
    headers: frozenset[str]  # of operators, that a source includes


class UnreadableError(ValueError):
    """The file is none that names can be read from."""


def needed_by(path: Path) -> Needed:
    """What a file needs: the undefined symbols of compiled code, the operators that a text names."""
    data = path.read_bytes()
    if data.startswith(b"\x7fELF"):
        return Needed(frozenset(_undefined(path, data)), frozenset())
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise UnreadableError(
            f"{path} is neither a program or library (ELF) nor a text, expected one of these; pass the file that does "
            "not link, its source, or names"
        ) from None
    return Needed(frozenset(_OPERATOR.findall(text)), frozenset(_HEADER.findall(text)))


def _undefined(path: Path, data: bytes) -> set[str]:
    damaged = UnreadableError(f"{path} is not a whole 64-bit ELF file, expected a program or library of this machine")
    if not data.startswith(_MAGIC):
        raise damaged
    try:
        offset, entry, count = (struct.unpack_from(code, data, at)[0] for code, at in (("Q", 40), ("H", 58), ("H", 60)))
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + entry * number) for number in range(count)]
        undefined: set[str] = set()
        defined: set[str] = set()
        for _, kind, _, _, start, size, strings, _, _, symbol_size in sections:
            if kind not in _SYMBOL_TABLES or symbol_size < 24:
                continue
            text_at = sections[strings][4]
            for at in range(start, start + size, symbol_size):
                name_at, _, _, section = struct.unpack_from("<IBBH", data, at)
                end = data.index(b"\0", text_at + name_at)
                name = data[text_at + name_at : end].decode("ascii", "replace").split("@")[0]
                (defined if section != 0 else undefined).add(name)
    except (struct.error, IndexError, ValueError):
        raise damaged from None
    return {name for name in undefined - defined if name.startswith(("acl", "Acl"))}
