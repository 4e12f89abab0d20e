"""Every rule of every specification that applies to arrays refuses its own example, and in the documented order."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS
from acltwin.ops.spec import EVERYWHERE, KERNEL_EXCEPTION, NULL_POINTER, OpSpec, Rule
from support.spec_calls import run_on_arrays

EVERY_OPERATOR = pytest.mark.parametrize("spec", OPERATORS.values(), ids=lambda spec: spec.name)
EVERY_ARRAY_RULE = pytest.mark.parametrize(
    ("spec", "rule"),
    [
        pytest.param(spec, rule, id=f"{spec.name}-{rule.id}")
        for spec in OPERATORS.values()
        for rule in spec.rules_of("array")
    ],
)


@EVERY_ARRAY_RULE
def test_a_rule_refuses_its_example(spec: OpSpec, rule: Rule) -> None:
    with pytest.raises(rule.raises) as refusal:
        run_on_arrays(spec, spec.violating_call(rule))
    text = str(refusal.value)
    assert text.startswith(f"{spec.name}: ")
    assert text.endswith(f"[{spec.array_id(rule)}]")
    assert "expected" in text


@EVERY_OPERATOR
def test_without_the_violation_the_call_is_legal(spec: OpSpec) -> None:
    for with_out in (True, False):
        for result, argument in zip(run_on_arrays(spec, spec.valid, with_out=with_out), spec.results, strict=True):
            assert result.shape == spec.valid.arguments[argument.name].shape  # type: ignore[union-attr]


@EVERY_OPERATOR
def test_the_first_broken_rule_is_the_one_reported(spec: OpSpec) -> None:
    """Two rules broken at once, in different arguments: the earlier one answers."""
    for first, second in combinations(spec.rules_of("array"), 2):
        if first.violation.keys() & second.violation.keys():
            continue
        with pytest.raises(first.raises) as refusal:
            run_on_arrays(spec, spec.valid.but({**first.violation, **second.violation}))
        assert str(refusal.value).endswith(f"[{spec.array_id(first)}]"), f"{first.id} before {second.id}"


@EVERY_OPERATOR
def test_a_specification_is_consistent(spec: OpSpec) -> None:
    ids = [rule.id for rule in spec.rules]
    assert len(ids) == len(set(ids))
    array_ids = [spec.array_id(rule) for rule in spec.rules_of("array")]
    assert len(array_ids) == len(set(array_ids))
    assert list(spec.valid.arguments) == [argument.name for argument in spec.arguments]
    assert OPERATORS[spec.name] is spec
    assert callable(getattr(acltwin, spec.name))
    assert spec.arguments == (*spec.inputs, *spec.results)
    tensors = [argument.kind == "tensor" for argument in spec.parameters]
    assert tensors == sorted(tensors, reverse=True)  # they come first
    assert not {argument.kind for argument in spec.parameters} & {"string", "float_array"}
    assert all(len(sample.expected) == len(spec.results) for sample in spec.samples)
    for rule in spec.rules:
        assert rule.judges
        assert set(rule.judges) <= set(EVERYWHERE)
        assert rule.sentence.endswith((".", ")"))
        assert rule.violation, rule.id
        known = {argument.name for argument in spec.arguments} | {"soc", "workspaceSize", "executor"}
        assert rule.violation.keys() <= known, rule.id
        assert rule.code != NULL_POINTER or rule.id.endswith("_null") or rule.judges == ("device",)
        assert (rule.code == KERNEL_EXCEPTION) == (rule.phase == "run")


@EVERY_OPERATOR
def test_the_documented_samples(spec: OpSpec) -> None:
    for sample in spec.samples:
        for result, expected in zip(run_on_arrays(spec, sample.call, with_out=False), sample.expected, strict=True):
            rounded = np.array(expected, result.dtype)
            assert np.allclose(result.ravel(), rounded, rtol=0, atol=sample.tolerance), sample.title


@EVERY_OPERATOR
def test_an_exact_upsampling_matches_cells_at_their_centres(spec: OpSpec) -> None:
    if spec.family == "upsample":
        assert spec.is_exact == ("0.5" in spec.formula)
    assert not spec.partner or spec.is_exact == OPERATORS[spec.partner].is_exact
