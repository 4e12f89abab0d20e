"""The package's declarations, imported from this tree, whatever is installed or built."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


class _NotBuilt(types.ModuleType):
    """Stands for the extension module: declarations name its functions, and call none."""

    def __getattr__(self, name: str) -> Any:
        return None


def import_from_tree(module: str) -> types.ModuleType:
    """A module of ``src/acltwin``, without the package's own ``__init__`` and without the extension module."""
    if "acltwin" not in sys.modules:
        package = types.ModuleType("acltwin")
        package.__path__ = [str(ROOT / "src" / "acltwin")]
        sys.modules.update({"acltwin": package, "acltwin._core": _NotBuilt("acltwin._core")})
    return importlib.import_module(module)
