"""The operators: one file each, with its declaration (``SPEC``).

They are found by their files, so a new operator is a new file here. ``OPERATORS`` are those with a function on arrays,
``INTERFACES`` also have further C interfaces: some computations have two, and some no function on arrays.
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


INTERFACES: Mapping[str, OpSpec] = _discover()
OPERATORS: Mapping[str, OpSpec] = {name: spec for name, spec in INTERFACES.items() if not spec.c_only}
PLANEWISE: Mapping[str, OpSpec] = {name: spec for name, spec in OPERATORS.items() if spec.planewise}
"""The operators of doors that cut and fold batches."""

__all__ = ["INTERFACES", "OPERATORS", "PLANEWISE", "OpSpec"]
