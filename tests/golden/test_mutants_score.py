"""``golden.score``: what a set of cases catches, what it misses, and what to add."""

from __future__ import annotations

import numpy as np
import pytest

from acltwin import golden
from acltwin.golden.wrong import load
from acltwin.golden.wrong.score import RememberedCase, Score, passes, score, wrong_implementations
from acltwin.ops import OPERATORS
from support import registry

EXACT2D = "upsample_nearest_exact2d_backward"


def ones_by_two(dtype: str = "float32") -> golden.Case:
    """What many kernels are tested with: all ones, twice as large."""
    tensors = {"grad_output": np.ones((2, 3, 8, 16), dtype)}
    return golden.Case.of(EXACT2D, tensors, {"output_size": (8, 16), "input_size": (2, 3, 4, 8)}, name="ones")


@pytest.fixture(scope="module")
def result() -> Score:
    return score([ones_by_two()])


def test_ones_by_two_miss_the_index_rule(result: Score) -> None:
    assert result.total == len(wrong_implementations(EXACT2D))
    assert 0 < result.caught < result.total
    assert result.caught + len(result.survivors) == result.total
    assert sum(result.survivors_by_cause.values()) == len(result.survivors)
    assert "plain_nearest" in {survivor.name for survivor in result.survivors}
    assert "overwritten" not in {survivor.name for survivor in result.survivors}
    assert not result.rejects_right_results


def test_the_cases_to_add_catch_what_was_missed(result: Score) -> None:
    assert not result.beyond
    added = [case for case in golden.cases(EXACT2D) if f"{EXACT2D} {case.name}" in result.to_add]
    assert len(added) == len(result.to_add)
    assert not score([ones_by_two(), *added], advise=False).survivors
    for number in range(len(added)):  # greedy, but none of them for nothing
        assert score([ones_by_two(), *added[:number], *added[number + 1 :]], advise=False).survivors


def test_a_rule_that_rejects_right_results_is_named() -> None:
    values = np.random.default_rng(3).standard_normal((1, 2, 40, 40)).astype(np.float32)
    case = golden.Case.of(EXACT2D, {"grad_output": values}, {"output_size": (40, 40), "input_size": (1, 2, 4, 4)})
    strict = score([case], rule="binary", advise=False)
    assert strict.rejects_right_results
    assert "descending_float32" in {rejection.name for rejection in strict.rejections}
    assert "rejects right results" in strict.text()
    fair = score([case], advise=False)
    assert not fair.rejects_right_results


def test_several_operators_count_on_their_own() -> None:
    quick = [
        case for name in ("max_unpool3d", "max_unpool3d_backward") for case in golden.cases(name, level="quick")[:2]
    ]
    result = score(quick, advise=False)
    assert result.total == sum(len(wrong_implementations(name)) for name in ("max_unpool3d", "max_unpool3d_backward"))
    assert {survivor.operator for survivor in result.survivors} <= {"max_unpool3d", "max_unpool3d_backward"}


def test_the_text_names_figures_causes_and_cases(result: Score) -> None:
    text = result.text()
    assert text.startswith(f"{result.caught} of {result.total} wrong implementations caught by 1 case under bound")
    for cause, count in result.survivors_by_cause.items():
        assert f"not caught: {cause} ({count})" in text
    assert all(case in text for case in result.to_add)
    assert result.to_json()["survivors_by_cause"] == result.survivors_by_cause


def test_no_implementation_changes_its_inputs() -> None:
    for operator, spec in OPERATORS.items():
        case = RememberedCase.of_case(golden.cases(operator, level="quick")[0])
        before = {name: tensor.copy() for name, tensor in case.inputs().items()}
        for mutant in [*load(spec.family), *load("right")]:
            if mutant.applies(spec):
                passes(mutant, case, "bound", {})
        for name, tensor in case.inputs().items():
            assert np.array_equal(tensor, before[name], equal_nan=True), operator


@pytest.mark.parametrize("operator", registry.representatives())
def test_the_short_verdict_is_that_of_the_whole_one(operator: str) -> None:
    for case in map(RememberedCase.of_case, golden.cases(operator, level="quick")[::7]):
        for mutant in wrong_implementations(operator)[::5]:
            assert passes(mutant, case, "bound", {}) == golden.judge(case, case.answer(mutant)).passed, mutant.name


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="no rule is called 'mixt'"):
        score([ones_by_two()], rule="mixt")
