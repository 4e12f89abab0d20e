"""Models of what can be wrong, in catalogues: an entry is a page for developers and the models of one cause."""

from __future__ import annotations

from functools import cache

from acltwin.golden.cases.family import FAMILIES, family_of, takes_indices
from acltwin.golden.cases.masks import has_mask
from acltwin.golden.causes import (
    average,
    axes,
    indexed,
    layout,
    linear,
    masks,
    memory,
    pool,
    pool_windows,
    sums,
    unpool,
    upsample,
    upsample_scale,
    values,
)
from acltwin.golden.causes.model import KNOWN, KnownCause, Model
from acltwin.ops import OPERATORS
from acltwin.ops.spec import OpSpec

CATALOGUES = (
    layout,
    axes,
    sums,
    values,
    memory,
    indexed,
    upsample,
    upsample_scale,
    pool,
    pool_windows,
    masks,
    unpool,
    average,
    linear,
)
FOLDERS = ("common", "indexed", *(name for name in FAMILIES if any(one.name.startswith(f"{name}/") for one in KNOWN)))


def models_of(spec: OpSpec) -> tuple[Model, ...]:
    """All models for an operator, the simplest first."""
    return _models_of(spec.name)


@cache
def _models_of(operator: str) -> tuple[Model, ...]:
    spec = OPERATORS[operator]
    known = [cause for folder in folders_of(spec) for cause in causes_in(folder)]
    found = [model for cause in known for model in cause.models(spec)]
    return tuple(sorted(found, key=lambda model: model.cost))


def folders_of(spec: OpSpec) -> tuple[str, ...]:
    """The folders whose causes can happen to an operator."""
    mask = (spec.family,) if has_mask(spec) else ()
    return ("common", family_of(spec).mistakes or spec.family, *mask, *(("indexed",) if takes_indices(spec) else ()))


def causes_in(folder: str) -> list[KnownCause]:
    """The causes of a folder, in the order of their names."""
    return sorted((known for known in KNOWN if known.name.startswith(f"{folder}/")), key=lambda known: known.name)
