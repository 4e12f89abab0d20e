"""The wrong implementations are wrong, the right ones right, and all of them run on whatever comes."""

from __future__ import annotations

import numpy as np
import pytest

from acltwin.golden.wrong import CAUSES, RIGHT, Mutant, load
from acltwin.ops import OPERATORS, OpSpec
from support.mutant_cases import DTYPES, cases, first_difference, run

FAMILIES = ("upsample", "pool", "unpool")
MUTANTS = [mutant for family in FAMILIES for mutant in load(family)]
EVERY_MUTANT = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.family}-{mutant.name}")


def operators_of(mutant: Mutant) -> list[OpSpec]:
    return [spec for spec in OPERATORS.values() if mutant.applies(spec)]


@EVERY_MUTANT
def test_a_wrong_implementation_differs_from_the_right_one(mutant: Mutant) -> None:
    assert any(first_difference(mutant, spec.name) for spec in operators_of(mutant))


@EVERY_MUTANT
def test_a_wrong_implementation_gives_results_of_the_right_shape_and_type(mutant: Mutant) -> None:
    for spec in operators_of(mutant):
        for dtype in DTYPES:
            for case in cases(spec.name, dtype)[::11]:
                for result, right in zip(run(mutant, case), case.right, strict=True):
                    assert (result.shape, result.dtype) == (right.shape, right.dtype), spec.name


@pytest.mark.parametrize("mutant", load("right"), ids=lambda mutant: mutant.name)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_a_right_variant_agrees_with_us(mutant: Mutant, dtype: np.dtype[np.generic]) -> None:
    assert operators_of(mutant)
    for spec in operators_of(mutant):
        for case in cases(spec.name, dtype)[::2]:
            assert not case.is_flagged(run(mutant, case)), (spec.name, case.fill, case.arguments)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_enough_of_every_kind(family: str) -> None:
    mutants = load(family)
    assert len(mutants) >= 40
    assert sum(mutant.held_out for mutant in mutants) >= 5
    assert {mutant.cause for mutant in mutants} == set(CAUSES)
    for mutant in mutants:
        assert mutant.sentence.endswith(".")
        assert operators_of(mutant)
        assert {spec.family for spec in operators_of(mutant)} == {family}


def test_the_right_ones_are_marked() -> None:
    assert {mutant.cause for mutant in load("right")} == {RIGHT}
