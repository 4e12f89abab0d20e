"""The causes of the built-in wrong implementations: named rightly, or not at all.

A part of what `benchmarks/golden_causes.py` counts: every ninth wrong implementation, and those that are held out.
"""

from __future__ import annotations

from typing import Any

import pytest

from acltwin import golden
from acltwin.golden.mutants import Mutant, load
from acltwin.golden.score import wrong_implementations
from acltwin.ops import OPERATORS

STEP = 9
GRADIENTS = ("upsample_nearest_exact2d_backward", "max_pool3d_with_argmax_backward", "max_unpool3d_backward")
FORWARD = ("upsample_nearest2d", "max_pool3d_with_argmax", "max_unpool3d")
FAMILIES = ("upsample", "pool", "unpool")
UNNAMED = {"max_pool3d_with_argmax": {"maximum_not_cleared", "middle_of_window"}}

SAID = {
    "odd_indices_of_odd_windows": "all values are right, only indices are wrong",
    "odd_channels_reversed": "only every second of the channels is wrong: 1, 3, 5",
    "odd_planes_swapped": "of the channels only 1, 3 are wrong",
    "odd_primes_dropped": "every wrong cell is 0",
}
"""What must be said of some that are held out."""


def of(operators: tuple[str, ...], held_out: bool, step: int) -> list[Any]:
    found = []
    for number, operator in enumerate(operators):
        mutants = [mutant for mutant in wrong_implementations(operator) if mutant.held_out == held_out]
        found += [
            pytest.param(operator, mutant, id=f"{operator}-{mutant.name}") for mutant in mutants[number % step :: step]
        ]
    return found


def verified(operator: str, mutant: Mutant, **options: Any) -> golden.Run:
    """The run of an implementation, called as our own function is."""

    def kernel(**arguments: Any) -> Any:
        tensors = {argument.python_name for argument in OPERATORS[operator].inputs if argument.kind == "tensor"}
        given = {name: value for name, value in arguments.items() if name in tensors}
        return mutant.run(operator, given, {name: arguments[name] for name in arguments if name not in tensors})

    return golden.verify(kernel, operator, isolate=False, explain_seconds=60, **options)


@pytest.mark.parametrize(("operator", "mutant"), of((*GRADIENTS, *FORWARD), False, STEP))
def test_a_mistake_is_named(operator: str, mutant: Mutant) -> None:
    run = verified(operator, mutant, dtypes=("bfloat16", "float32"))
    assert not run.passed
    cause = run.cause
    assert cause is not None
    named = {model.cause for model in cause.models} if cause.kind in ("known", "several") else set()
    if mutant.name in UNNAMED.get(operator, ()):
        assert not named, run.text()
    else:
        assert mutant.cause in named, run.text()


@pytest.mark.parametrize(("operator", "mutant"), of((*GRADIENTS, FORWARD[1]), True, 1))
def test_an_odd_mistake_stays_unnamed(operator: str, mutant: Mutant) -> None:
    run = verified(operator, mutant, dtypes=("float16",))
    assert not run.passed
    assert run.cause is not None
    assert run.cause.kind in ("unknown", "nearest"), run.text()
    place = run.cause.evidence[-1]
    assert "cells are wrong" in place
    assert "the first is" in place
    assert place in run.text()
    assert any(SAID.get(mutant.name, "cells are wrong") in sentence for sentence in run.cause.evidence), run.text()


@pytest.mark.parametrize("family", FAMILIES)
def test_some_are_held_out_in_every_family(family: str) -> None:
    assert sum(mutant.held_out for mutant in load(family)) >= 5


@pytest.mark.parametrize("operator", GRADIENTS)
def test_a_right_variant_passes(operator: str) -> None:
    mutant = next(mutant for mutant in load("right") if mutant.name == "tree_float32")
    run = verified(operator, mutant, dtypes=("float16", "float32"))
    assert run.passed, run.text()
    assert run.cause is None
