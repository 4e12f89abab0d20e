"""Models of what can be wrong: one file per cause, in the folder of the operators it can happen to.

A file has ``models(spec)``, which returns the models for an operator, none if the cause does not apply to it.
``common`` holds for every operator, ``indexed`` for those that are given indices, the other folders are families.
Adding a cause is adding a file.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from acltwin.golden.models.model import Model
from acltwin.ops import OPERATORS
from acltwin.ops.spec import OpSpec

FOLDERS = ("common", "indexed", "upsample", "pool", "unpool")


def models_of(spec: OpSpec) -> tuple[Model, ...]:
    """All models for an operator, the simplest first."""
    return _models_of(spec.name)


@cache
def _models_of(operator: str) -> tuple[Model, ...]:
    spec = OPERATORS[operator]
    indexed = any(argument.holds == "indices" for argument in spec.inputs)
    folders = ("common", spec.family, *(("indexed",) if indexed else ()))
    found = [
        model
        for folder in folders
        for name in _modules(folder)
        for model in importlib.import_module(f"{__name__}.{folder}.{name}").models(spec)
    ]
    return tuple(sorted(found, key=lambda model: model.cost))


def _modules(folder: str) -> list[str]:
    package = importlib.import_module(f"{__name__}.{folder}")
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))
