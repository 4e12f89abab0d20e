"""Models of what can be wrong: one file per cause, in the folder of the operators it can happen to.

A file has ``models(spec)``, which returns the models for an operator, none if the cause does not apply to it, and
``PAGE``, what a developer should know of it; its docstring is the title.
``common`` holds for every operator, ``indexed`` for those that are given indices, the other folders are families.
Adding a cause is adding a file.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from functools import cache
from types import ModuleType

from acltwin.golden.models.model import Model, Page
from acltwin.ops import OPERATORS
from acltwin.ops.spec import OpSpec

FOLDERS = ("common", "indexed", "upsample", "pool", "unpool")


def models_of(spec: OpSpec) -> tuple[Model, ...]:
    """All models for an operator, the simplest first."""
    return _models_of(spec.name)


@cache
def _models_of(operator: str) -> tuple[Model, ...]:
    spec = OPERATORS[operator]
    found = [
        replace(model, page=page_of(module))
        for folder in folders_of(spec)
        for module in modules_in(folder)
        for model in module.models(spec)
    ]
    return tuple(sorted(found, key=lambda model: model.cost))


def page_of(module: ModuleType) -> str:
    """The name of a file's page: folder and file."""
    return "/".join(module.__name__.split(".")[-2:])


def page_path(name: str) -> str:
    """Where a page is in the documentation."""
    return f"golden/causes/{name.replace('/', '-').replace('_', '-')}"


def title_of(module: ModuleType) -> str:
    assert module.__doc__ is not None
    return module.__doc__.splitlines()[0].removesuffix(".")


def read_page(name: str) -> tuple[str, Page]:
    """Title and content of a page."""
    module = importlib.import_module(f"{__name__}.{name.replace('/', '.')}")
    page: Page = module.PAGE
    return title_of(module), page


def folders_of(spec: OpSpec) -> tuple[str, ...]:
    """The folders whose causes can happen to an operator."""
    indexed = any(argument.holds == "indices" for argument in spec.inputs)
    return ("common", spec.family, *(("indexed",) if indexed else ()))


def modules_in(folder: str) -> list[ModuleType]:
    """The files of a folder, in the order of their names."""
    package = importlib.import_module(f"{__name__}.{folder}")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return [importlib.import_module(f"{__name__}.{folder}.{name}") for name in names]
