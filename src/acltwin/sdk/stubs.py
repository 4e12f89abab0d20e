"""Operators that the twin does not have, as names: programs link and start, and each call says what is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acltwin.acl._prototypes import NAMES
from acltwin.sdk.symbols import UnreadableError, needed_by

LIBRARY = "libacltwin_stubs.so"
HEADER = "acltwin_stubs.h"
FIRST_PHASE = "GetWorkspaceSize"
COMPILERS = ("cc", "gcc", "clang")

_NAME = re.compile(r"aclnn[A-Z]\w*", re.ASCII)


class StubsError(Exception):
    """The stubs cannot be written; the sentence says why."""


@dataclass(frozen=True)
class Wanted:
    operators: tuple[str, ...]  # those that the twin lacks
    headers: tuple[str, ...]  # names of headers that sources include
    present: tuple[str, ...]  # operators that it has
    others: tuple[str, ...]  # other functions that it lacks


def wanted_by(words: Sequence[str]) -> Wanted:
    """What names and files ask for."""
    names: set[str] = set()
    headers: set[str] = set()
    for word in words:
        if Path(word).is_file():
            try:
                needed = needed_by(Path(word))
            except UnreadableError as error:
                raise StubsError(str(error)) from None
            names |= needed.names
            headers |= needed.headers
        elif _NAME.fullmatch(word):
            names.add(word)
        else:
            raise StubsError(
                f"{word!r} is neither a file nor the name of an operator, such as aclnnAdd; correct it, or pass the "
                "program that does not link"
            )
    operators = {name.removesuffix(FIRST_PHASE) for name in names if _NAME.fullmatch(name)} - {
        "aclnnInit",
        "aclnnFinalize",
    }
    known = {*NAMES, "aclFloat16ToFloat", "aclFloatToFloat16"}
    lacking = {name for name in operators if name not in known}
    others = {name for name in names if not _NAME.fullmatch(name)} - known
    return Wanted(*(tuple(sorted(found)) for found in (lacking, headers, operators - lacking, others)))


def _functions(operators: Sequence[str]) -> list[str]:
    return [f"{operator}{ending}" for operator in operators for ending in (FIRST_PHASE, "")]


def header_text(operators: Sequence[str]) -> str:
    """Declarations that take any arguments."""
    declared = "\n".join(f"aclnnStatus {name}(ACLTWIN_ANY_ARGUMENTS);" for name in _functions(operators))
    return f"""\
/* Operators that the twin does not have: names only. Their prototypes are not known here, so any arguments will do. */
#ifndef ACLTWIN_STUBS_H
#define ACLTWIN_STUBS_H

#include "aclnn/aclnn_base.h"

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define ACLTWIN_ANY_ARGUMENTS ...
#else
#define ACLTWIN_ANY_ARGUMENTS
#endif

#ifdef __cplusplus
extern "C" {{
#endif

{declared}

#ifdef __cplusplus
}}
#endif

#undef ACLTWIN_ANY_ARGUMENTS

#endif
"""


def source_text(operators: Sequence[str]) -> str:
    """Functions that ignore their arguments. In C, a call with any of them reaches a function without parameters."""
    lines = [f'int {name}() {{ return acltwin_missing_operator("{name}"); }}' for name in _functions(operators)]
    return "\n".join(["extern int acltwin_missing_operator(const char* function);", *lines, ""])


def headers(wanted: Wanted, own: set[str]) -> Mapping[str, str]:
    """The headers by their names: one with everything, and those that programs include, which lead to it."""
    guessed = {f"aclnn_{_snake(operator.removeprefix('aclnn'))}.h" for operator in wanted.operators}
    leading = '#include "aclnnop/acltwin_stubs.h"\n'
    return {HEADER: header_text(wanted.operators), **dict.fromkeys({*guessed, *wanted.headers} - own, leading)}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def build(operators: Sequence[str], library: Path) -> bytes:
    """The library, which needs the twin's beside it."""
    chosen = os.environ.get("CC", "").split() or [found for name in COMPILERS if (found := shutil.which(name))][:1]
    if not chosen:
        raise StubsError("there is no C compiler, expected one of cc, gcc and clang; install one, or set CC")
    with tempfile.TemporaryDirectory(prefix="acltwin-stubs-") as folder:
        source, made = Path(folder) / "stubs.c", Path(folder) / LIBRARY
        source.write_text(source_text(operators))
        twin = Path(folder) / "libacltwin.so"
        twin.symlink_to(library)
        # Each function ends in a jump, so that the frame above the twin's is the program's.
        flags = ["-std=gnu99", "-w", "-O2", "-fPIC", "-shared", f"-Wl,-soname,{LIBRARY}", "-Wl,-rpath,$ORIGIN"]
        command = [*chosen, *flags, str(source), "-o", str(made), "-Wl,--no-as-needed", str(twin)]
        try:
            done = subprocess.run(command, text=True, capture_output=True)
        except OSError as error:
            raise StubsError(f"{chosen[0]} cannot be run ({error.strerror}); set CC to a C compiler") from None
        if done.returncode != 0:
            raise StubsError(f"{chosen[0]} cannot build the stubs: {done.stderr.strip()}; set CC to another compiler")
        return made.read_bytes()
