"""A pytest plugin for Pythons that PyTorch does not exist for: what touches PyTorch is skipped, and says so.

``tools/interpreters.py`` loads it with ``-p support.absent``. Nothing else does, so that the ordinary run of the tests
fails where PyTorch is missing.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NoReturn

import pytest

ABSENT = ("torch", "triton")
made: list[str] = []


class Absent(ModuleType):
    """A module that is not there, or anything in it: it can be named, and skips the test that uses it."""

    __path__: Sequence[str] = ()

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")

    def _used(self, *_arguments: Any, **_keywords: Any) -> NoReturn:
        pytest.skip(f"needs {self.__name__}", allow_module_level=True)

    __call__ = __iter__ = __mro_entries__ = __enter__ = _used

    def __instancecheck__(self, instance: object) -> bool:
        return False


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in ABSENT else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        made.append(spec.name)
        return Absent(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


sys.meta_path.append(Finder())  # after the others: what is installed is found before


def pytest_runtest_setup() -> None:
    """The test files have what they name; the library under test must not take it for PyTorch."""
    while made:
        sys.modules.pop(made.pop(), None)
