"""The operators once more, in NumPy and float64, one file each: slow, and as close to the formulas as code can be.

The tests and the golden tools measure everything else against these functions. They take the arguments of the array
functions (without ``out``) as NumPy arrays, check nothing, and return float64, or the integer dtype they were given.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

from acltwin.reference.interval_table import interval_table
from acltwin.reference.source_table import source_table


def _discover() -> dict[str, Callable[..., Any]]:
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    return {name: getattr(importlib.import_module(f"{__name__}.{name}"), name) for name in names}


FUNCTIONS: Mapping[str, Callable[..., Any]] = _discover()
"""By name; each is an attribute of this package, too."""
globals().update(FUNCTIONS)

__all__ = ["FUNCTIONS", "interval_table", "source_table"]
