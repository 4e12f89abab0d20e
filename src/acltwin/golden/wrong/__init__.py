"""Deliberately wrong implementations of the operators, in NumPy: what a set of cases and a rule must catch.

Catalogues list them by family and cause; an entry says in a sentence what is wrong, and replaces a part of a kernel
that is right otherwise. Here are right implementations that add in other orders; no rule may reject them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from acltwin.golden.cases.family import family_of, gathers, weighs
from acltwin.golden.cases.resampling import Resampling
from acltwin.golden.cases.weights import Rule, resampling
from acltwin.golden.judge.expected import twin
from acltwin.golden.wrong import (
    basics,
    pool,
    pool_gradient,
    pool_kinds,
    several,
    unpool,
    upsample,
    upsample_index_rule,
    weighted,
)
from acltwin.golden.wrong.catalogue import KERNELS, MUTANTS, RIGHT, Catalogue, Kernel, Mutant, Result
from acltwin.ops import OPERATORS

__all__ = ["CATALOGUES", "CAUSES", "RIGHT", "Mutant", "Result", "load"]

CAUSES = ("index rule", "border", "layout", "tiling", "accumulation", "rounding", "initialisation", "special values")
CATALOGUES = (several, upsample_index_rule, upsample, pool, pool_gradient, pool_kinds, unpool, weighted)


def load(family: str) -> list[Mutant]:
    """All of one family of operators, by name; or the ``"right"`` ones. Masks have those of their indices, too."""
    specs = [spec for spec in OPERATORS.values() if spec.family == family]
    others = (mutant for mutant in MUTANTS if mutant.family not in (family, RIGHT))
    shared = [mutant for mutant in others if any(mutant.applies(spec) for spec in specs)]
    own = [mutant for mutant in MUTANTS if mutant.family == family]
    return sorted([*own, *shared], key=lambda mutant: mutant.name)


# ---- right implementations: they differ from ours only in the order of their additions ----


def added(total: basics.Total) -> Kernel:
    """The kernel of the operator's family, with sums of this kind if it has any."""

    def run(operator: str, tensors: dict[str, basics.Array], arguments: dict[str, object]) -> Result:
        spec = OPERATORS[operator]
        parts = {"total": total} if gathers(spec) else {"float64": True} if weighs(spec) else {}
        return KERNELS[spec.family](operator, tensors, arguments, **parts)

    return run


def fused(rule: Rule) -> Rule:
    assert isinstance(rule, Resampling)
    return replace(rule, fused=True)


right = Catalogue(RIGHT).of(RIGHT)
right("twin", "The library itself.", whole=twin)
right("float64", "Adds in float64 and rounds once.", whole=added(basics.float64_sum))
right(
    "ascending_float32",
    "Adds in float32, one by one, in ascending order.",
    whole=added(basics.running_sum),
    when=gathers,
)
right(
    "descending_float32",
    "Adds in float32, one by one, in descending order.",
    whole=added(basics.descending_sum),
    when=gathers,
)
right(
    "shuffled_float32",
    "Adds in float32, one by one, in an order of its own.",
    whole=added(basics.shuffled_sum),
    when=gathers,
)
right("tree_float32", "Adds in float32, two by two and then the pairs.", whole=added(basics.tree_sum), when=gathers)
right(
    "axis_by_axis_float32",
    "Adds in float32 along one axis after the other.",
    whole=partial(KERNELS["upsample"], between=lambda sums: sums),
    when=lambda spec: family_of(spec).by_axes and not weighs(spec),
)
right("axes_float32", "Adds in float32 along one axis after the other.", whole=KERNELS["average"], when=weighs)
right(
    "axes_descending_float32",
    "Adds in float32 along one axis after the other, in descending order.",
    whole=partial(KERNELS["average"], descending=True),
    when=weighs,
)
right(
    "cells_float32",
    "Adds in float32 all sources of a cell, one by one, in ascending order.",
    whole=partial(KERNELS["average"], by_cells=True),
    when=weighs,
)
right(
    "fused_float32",
    "Computes positions with a fused multiply-add.",
    whole=partial(KERNELS["average"], rule=fused),
    when=lambda spec: family_of(spec).weights is resampling,
)
