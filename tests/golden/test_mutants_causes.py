"""The causes of the built-in wrong implementations: named rightly, or not at all.

A part of what `benchmarks/golden_causes.py` counts: every 18th wrong implementation, and every fourth one held out.
``make thorough`` has twice as many.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from acltwin.golden.causes.cause import Cause
from acltwin.golden.causes.explain import explain
from acltwin.golden.judge import decode
from acltwin.golden.wrong import Mutant, load
from acltwin.golden.wrong.score import RememberedCase, wrong_implementations
from acltwin.ops import OPERATORS
from support.golden_cases import MEDIUM, small_cases
from support.thorough import THOROUGH

STEP, STEP_HELD_OUT = (9, 2) if THOROUGH else (18, 4)
GRADIENTS = ("upsample_nearest_exact2d_backward", "max_pool3d_with_argmax_backward", "max_unpool3d_backward")
FORWARD = ("upsample_nearest2d", "max_pool3d_with_argmax", "max_unpool3d")
FAMILIES = tuple(dict.fromkeys(spec.family for spec in OPERATORS.values()))
UNNAMED = {"maximum_not_cleared", "middle_of_window"}

SAID = {
    "odd_indices_of_odd_windows": "all values are right, only indices are wrong",
    "odd_channels_reversed": "only the cells of channels 1, 3, 5, ... are wrong",
    "odd_planes_swapped": "only the cells of channels 1, 3, 5, ... are wrong",
    "odd_primes_dropped": "every wrong cell is 0",
}
"""What must be said of some that are held out."""
DESCRIBED = {
    "odd_cell_255_copied": "cells 255, 511, 767, ... in a plane hold the data of the cell before",
    "odd_seventh_row_negated": "cells 6, 13, 20, ... along H hold -1 times the right value",
}
"""Oddities that no catalogue knows, but whose place and content the outputs show."""


def of(operators: tuple[str, ...], held_out: bool, step: int) -> list[Any]:
    found = []
    for number, operator in enumerate(operators):
        mutants = [mutant for mutant in wrong_implementations(operator) if mutant.held_out == held_out]
        found += [
            pytest.param(operator, mutant, id=f"{operator}-{mutant.name}") for mutant in mutants[number % step :: step]
        ]
    return found


@pytest.fixture(autouse=True)
def _no_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which sources of a cell are wrong is tested elsewhere, and takes most of the time."""
    monkeypatch.setattr(decode, "read", lambda *_: None)


@cache
def cases_of(operator: str, dtypes: tuple[str, ...]) -> list[RememberedCase]:
    return [RememberedCase.of_case(case) for case in small_cases(operator, dtypes=dtypes, most=MEDIUM)]


def cause_of(operator: str, mutant: Mutant, *dtypes: str) -> Cause | None:
    """Why an implementation fails; None if it does not."""
    return explain([case.record(mutant) for case in cases_of(operator, dtypes)], seconds=60)


@pytest.mark.parametrize(("operator", "mutant"), of((*GRADIENTS, *FORWARD), False, STEP))
def test_a_mistake_is_named(operator: str, mutant: Mutant) -> None:
    cause = cause_of(operator, mutant, "bfloat16", "float32")
    assert cause is not None
    named = {model.cause for model in cause.models} if cause.kind in ("known", "several") else set()
    assert named == (set() if mutant.name in UNNAMED else {mutant.cause}), str(cause)


@pytest.mark.parametrize(
    ("operator", "name", "dtypes"),
    [
        ("upsample_nearest2d", "half_pixel", ("float32",)),
        ("upsample_nearest2d", "double_positions", ("float16",)),
        ("upsample_nearest2d", "inverted_given_scale", ("float32", "float64")),
        ("upsample_nearest2d", "scale_per_axis", ("float16", "uint8")),
        ("upsample_nearest2d", "equal_size_scaled", ("float32", "float64")),
        ("max_unpool3d", "last_element_lost", ("float32", "int64")),
    ],
)
def test_a_mistake_is_named_whatever_scales_and_dtypes(operator: str, name: str, dtypes: tuple[str, ...]) -> None:
    """Images round given scales and use all or none, and none in some dtypes; int64 holds more than floats do."""
    (mutant,) = (one for one in wrong_implementations(operator) if one.name == name)
    cause = cause_of(operator, mutant, *dtypes)
    assert cause is not None
    assert cause.kind in ("known", "several"), str(cause)
    assert {model.cause for model in cause.models} == {mutant.cause}


@pytest.mark.parametrize(("operator", "mutant"), of((*GRADIENTS, FORWARD[1]), True, STEP_HELD_OUT))
def test_an_odd_mistake_stays_unnamed(operator: str, mutant: Mutant) -> None:
    cause = cause_of(operator, mutant, "float16")
    assert cause is not None
    if cause.kind == "known":
        assert DESCRIBED[mutant.name] == cause.models[0].sentence
        return
    assert cause.kind in ("unknown", "nearest"), str(cause)
    place = cause.evidence[-1]
    assert "cells are wrong" in place
    assert "the first is" in place
    assert place in str(cause)
    assert any(SAID.get(mutant.name, "cells are wrong") in sentence for sentence in cause.evidence), str(cause)


@pytest.mark.parametrize("family", FAMILIES)
def test_some_are_held_out_in_every_family(family: str) -> None:
    assert sum(mutant.held_out for mutant in load(family)) >= 5


@pytest.mark.parametrize("operator", GRADIENTS)
def test_a_right_variant_passes(operator: str) -> None:
    mutant = next(mutant for mutant in load("right") if mutant.name == "tree_float32")
    assert cause_of(operator, mutant, "float16") is None
    assert cause_of(operator, mutant, "bfloat16", "float32") is None
