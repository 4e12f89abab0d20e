"""The operators: one file each, with its declaration (``SPEC``) and its function on arrays.

``OPERATORS`` finds them by their files, so a new operator is a new file here.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from acltwin.ops.spec import OpSpec


def _discover() -> dict[str, OpSpec]:
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    operators = [name for name in names if name not in ("spec", "families") and not name.startswith("_")]
    return {name: importlib.import_module(f"{__name__}.{name}").SPEC for name in operators}


OPERATORS: Mapping[str, OpSpec] = _discover()

__all__ = ["OPERATORS", "OpSpec"]
