"""Our cases and our rule catch every wrong implementation, and no right one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import golden
from acltwin.golden.cases.cases import case_bytes
from acltwin.golden.cases.family import takes_indices
from acltwin.golden.wrong import CAUSES, RIGHT, Mutant, Result, load
from acltwin.golden.wrong.score import RememberedCase, passes, right_implementations, score, wrong_implementations
from acltwin.ops import OPERATORS, OpSpec
from support import registry
from support.golden_cases import SMALL
from support.thorough import THOROUGH

FAMILIES = tuple(dict.fromkeys(spec.family for spec in OPERATORS.values()))
TOLERATED = dict.fromkeys(mutant for family in FAMILIES for mutant in load(family) if mutant.tolerated)


def operators_of(mutant: Mutant) -> list[OpSpec]:
    return [spec for spec in OPERATORS.values() if mutant.applies(spec)]


def both(answer: Result) -> tuple[Any, ...]:
    return answer if isinstance(answer, tuple) else (answer,)


@pytest.mark.parametrize("operator", registry.representatives())
def test_quick_cases_catch_most_default_cases_all_and_no_right_one(operator: str) -> None:
    quick, default = golden.cases(operator, level="quick"), golden.cases(operator)
    names = {case.name for case in quick}
    first = score(quick, advise=False)
    assert first.total == len(wrong_implementations(operator)) >= 40
    assert first.caught >= 0.7 * first.total, first.text()
    assert not first.rejections, first.text()
    left = {one.name for one in first.survivors}
    mutants = [mutant for mutant in wrong_implementations(operator) if mutant.name in left]
    for case in (RememberedCase.of_case(case) for case in default if case.name not in names):
        judges_right_ones = THOROUGH or case_bytes(case) <= SMALL
        for right in right_implementations(operator) if judges_right_ones else ():
            assert passes(right, case, "bound", {}), (right.name, case.name)
        mutants = [mutant for mutant in mutants if passes(mutant, case, "bound", {})]
    assert not mutants


@pytest.mark.parametrize("operator", registry.representatives())
def test_every_implementation_gives_results_of_the_right_shape_and_dtype(operator: str) -> None:
    """None is caught for another reason than its mistake."""
    case = RememberedCase.of_case(golden.cases(operator, level="quick", dtypes=("float16",))[0])
    for mutant in (*load(OPERATORS[operator].family), *load(RIGHT)):
        if mutant.applies(OPERATORS[operator]):
            found = both(case.answer(mutant))
            assert tuple((one.dtype.name, one.shape) for one in found) == case.result_shapes(), mutant.name


@pytest.mark.parametrize("mutant", TOLERATED, ids=lambda mutant: f"{mutant.family}-{mutant.name}")
def test_what_is_tolerated_differs_from_the_twin(mutant: Mutant) -> None:
    """Our cases of unpooling name no place twice, which the documents leave open; here every place is named twice."""
    (twin,) = (one for one in load(RIGHT) if one.name == "twin")
    differing = 0
    for spec in operators_of(mutant):
        for case in golden.cases(spec.name, level="quick", dtypes=("float32",)):
            tensors = case.inputs()
            if takes_indices(spec):
                tensors["indices"] = tensors["indices"] // 2
            changed = RememberedCase.of_case(golden.Case.of(spec.name, tensors, case.arguments))
            pairs = zip(both(changed.answer(mutant)), both(changed.answer(twin)), strict=True)
            differing += any(not np.array_equal(one, other, equal_nan=True) for one, other in pairs)
    assert differing


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_enough_of_every_kind(family: str) -> None:
    mutants = load(family)
    assert len(mutants) >= 40
    assert sum(mutant.held_out for mutant in mutants) >= 5
    assert {mutant.cause for mutant in mutants} == set(CAUSES)
    for mutant in mutants:
        assert mutant.sentence.endswith(".")
        assert operators_of(mutant)
        assert family in {spec.family for spec in operators_of(mutant)} <= {family, mutant.family, "masked_pool"}


def test_the_right_ones_are_marked() -> None:
    assert {mutant.cause for mutant in load("right")} == {RIGHT}
