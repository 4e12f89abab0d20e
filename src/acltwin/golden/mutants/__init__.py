"""Deliberately wrong implementations of the operators, in NumPy: what a set of cases and a rule must catch.

One small file each, in the folder of its family: what it does wrong is its ``SENTENCE``, the kind of mistake its
``CAUSE``. The folder ``right`` holds right implementations that add in other orders; no rule may reject them.
``load`` finds them by their files, so a new one is a new file.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.ops.spec import OpSpec

Result = NDArray[Any] | tuple[NDArray[Any], ...]

CAUSES = ("index rule", "border", "layout", "tiling", "accumulation", "rounding", "initialisation", "special values")
RIGHT = "right"
"""The cause of a file that does nothing wrong."""


@dataclass(frozen=True)
class Mutant:
    """One implementation: a file of a family's folder."""

    family: str
    name: str
    cause: str
    sentence: str  # what it does wrong, for users
    held_out: bool  # so odd that no catalogue of causes is expected to know it
    tolerated: str  # why results like these count as right though ours differ; empty: they do not
    applies: Callable[[OpSpec], bool]
    function: Callable[[str, dict[str, NDArray[Any]], dict[str, object]], Result]

    def run(self, operator: str, tensors: dict[str, NDArray[Any]], arguments: dict[str, object]) -> Result:
        """Its results for a call of ``acltwin.<operator>``: tensors and other arguments by their Python names."""
        with np.errstate(all="ignore"):  # a wrong kernel overflows without a word
            return self.function(operator, tensors, arguments)


def load(family: str) -> list[Mutant]:
    """All of one family, ``"upsample"``, ``"pool"`` or ``"unpool"``, by name; or the ``"right"`` ones."""
    package = importlib.import_module(f"{__name__}.{family}")
    return [_load(family, module.name) for module in pkgutil.iter_modules(package.__path__)]


def _load(family: str, name: str) -> Mutant:
    module = importlib.import_module(f"{__name__}.{family}.{name}")
    held_out, tolerated = getattr(module, "HELD_OUT", False), getattr(module, "TOLERATED", "")
    return Mutant(family, name, module.CAUSE, module.SENTENCE, held_out, tolerated, module.applies, module.run)
