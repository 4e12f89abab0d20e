"""Deliberately wrong implementations of the operators, in NumPy: what a set of cases and a rule must catch.

Catalogues list them by family and cause; an entry says in a sentence what is wrong, and replaces a part of a kernel
that is right otherwise. ``right`` lists right implementations that add in other orders; no rule may reject them.
"""

from acltwin.golden.wrong import (
    masked_pool,
    pool,
    pool_gradient,
    right,
    several,
    unpool,
    upsample,
    upsample_index_rule,
    weighted,
)
from acltwin.golden.wrong.catalogue import MUTANTS, RIGHT, Mutant, Result
from acltwin.ops import OPERATORS

__all__ = ["CATALOGUES", "CAUSES", "RIGHT", "Mutant", "Result", "load"]

CAUSES = ("index rule", "border", "layout", "tiling", "accumulation", "rounding", "initialisation", "special values")
CATALOGUES = (several, upsample_index_rule, upsample, pool, pool_gradient, masked_pool, unpool, weighted, right)


def load(family: str) -> list[Mutant]:
    """All of one family of operators, by name; or the ``"right"`` ones. Masks have those of their indices, too."""
    specs = [spec for spec in OPERATORS.values() if spec.family == family]
    others = (mutant for mutant in MUTANTS if mutant.family not in (family, RIGHT))
    shared = [mutant for mutant in others if any(mutant.applies(spec) for spec in specs)]
    own = [mutant for mutant in MUTANTS if mutant.family == family]
    return sorted([*own, *shared], key=lambda mutant: mutant.name)
