"""Which implementation of the ACL C interface is bound: the twin, unless the user chooses another.

``ACLTWIN_LIBRARY`` chooses, and nothing else does:

- unset: the twin, the library inside this package;
- ``cann``: the libraries of the CANN installation that ``ASCEND_HOME_PATH`` (or ``ASCEND_TOOLKIT_HOME``) names;
- a directory: the libraries in it, or in its ``lib64``;
- a file: that library.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from acltwin import _core
from acltwin.acl._ending import tell_of_the_end
from acltwin.acl._frames import is_checking, noting_frames
from acltwin.acl._prototypes import prototype

CHOICE = "ACLTWIN_LIBRARY"
ROOTS = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")

# Runtime, tensors, operators: of each group the names of one release or another, in the order they must be loaded.
GROUPS = (
    (("ascendcl",), ("acl_rt",)),
    (("nnopbase",),),
    (("opapi",), ("opapi_math", "opapi_nn", "opapi_cv")),
)


class LibraryNotFoundError(OSError):
    """The library that was asked for is not there."""


def chosen_files() -> list[Path]:
    """The files to load, in order."""
    choice = os.environ.get(CHOICE, "")
    return library_files(choice, CHOICE) if choice else [Path(_core.library_path())]


def library_files(choice: str, setting: str) -> list[Path]:
    """The files of a library, a directory or ``cann``; ``setting`` is where the user has chosen it."""
    if choice == "cann":
        return _files_in(_cann_root(setting), setting)
    path = Path(choice)
    if path.is_dir():
        return _files_in(path, setting)
    if path.is_file():
        return [path]
    raise LibraryNotFoundError(
        f"{setting} is '{choice}', expected a library, a directory with libraries, or 'cann'; correct it"
        f"{_or_none(setting)}"
    )


def _cann_root(setting: str) -> Path:
    for variable in ROOTS:
        root = os.environ.get(variable)
        if root:
            return Path(root)
    raise LibraryNotFoundError(
        f"{setting} is 'cann', but neither {' nor '.join(ROOTS)} is set; source the installation's set_env.sh first"
    )


def _files_in(root: Path, setting: str) -> list[Path]:
    directory = root / "lib64" if (root / "lib64").is_dir() else root
    return [file for group in GROUPS for file in _first_complete(directory, group, setting)]


def _first_complete(directory: Path, group: tuple[tuple[str, ...], ...], setting: str) -> list[Path]:
    for names in group:
        files = [directory / f"lib{name}.so" for name in names]
        if all(file.exists() for file in files):
            return files
    wanted = " or ".join(" + ".join(f"lib{name}.so" for name in names) for names in group)
    raise LibraryNotFoundError(
        f"{directory} has no {wanted}; point {setting} at a CANN installation or at a tree that 'acltwin sdk' wrote"
        f"{_or_none(setting)}"
    )


def _or_none(setting: str) -> str:
    return ", or unset it to use the twin" if setting == CHOICE else ""


class Library:
    """The C functions as attributes, each bound with its prototype when it is first used; so is the library."""

    @cached_property
    def files(self) -> list[Path]:
        return chosen_files()

    @cached_property
    def _loaded(self) -> list[ctypes.CDLL]:
        # CANN's libraries find each other's functions only when these are global; the twin's stay its own.
        mode = ctypes.RTLD_GLOBAL if len(self.files) > 1 else ctypes.RTLD_LOCAL
        loaded = [ctypes.CDLL(str(file), mode=mode) for file in self.files]
        tell_of_the_end(loaded[0])
        return loaded

    @cached_property
    def checking(self) -> ctypes.CDLL | None:
        """The library, if its check mode is on."""
        if os.environ.get("ACLTWIN_CHECK", "0") == "0":  # without loading it
            return None
        return self._loaded[0] if is_checking(self._loaded[0]) else None

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name.startswith("_"):
            raise AttributeError(name)
        function = self._bind(name)
        setattr(self, name, function)  # the next use does not come here
        return function

    def _bind(self, name: str) -> Callable[..., int]:
        for library in self._loaded:
            if hasattr(library, name):
                function = getattr(library, name)
                function.restype, function.argtypes = prototype(name)
                return noting_frames(library, function) if is_checking(library) else function
        raise AttributeError(f"{name} is in none of {', '.join(map(str, self.files))}; this release lacks it")

    @cached_property
    def delete_array(self) -> Callable[[Any], None]:
        """C++'s ``delete[]``, the one that the library itself uses."""
        function = self._loaded[0]["_ZdaPv"]
        function.restype, function.argtypes = None, (ctypes.c_void_p,)
        return function

    def text(self, name: str) -> str:
        """The result of a function that gives a text; empty when it gives null."""
        result = cast("bytes | None", getattr(self, name)())
        return result.decode() if result is not None else ""


c = Library()
