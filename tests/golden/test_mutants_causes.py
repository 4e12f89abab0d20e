"""A mistake that nobody thought of is not given the name of another one."""

from __future__ import annotations

from typing import Any

import pytest

from acltwin import golden
from acltwin.golden.mutants import load
from acltwin.golden.score import wrong_implementations
from acltwin.ops import OPERATORS

GRADIENTS = ("upsample_nearest_exact2d_backward", "max_pool3d_with_argmax_backward", "max_unpool3d_backward")
ODD = [
    pytest.param(operator, mutant, id=f"{operator}-{mutant.name}")
    for operator in GRADIENTS
    for mutant in wrong_implementations(operator)
    if mutant.held_out
]


def verified(operator: str, mutant: Any, **options: Any) -> golden.Run:
    """The run of an implementation, called as our own function is."""

    def kernel(**arguments: Any) -> Any:
        tensors = {argument.python_name for argument in OPERATORS[operator].inputs if argument.kind == "tensor"}
        given = {name: value for name, value in arguments.items() if name in tensors}
        return mutant.run(operator, given, {name: arguments[name] for name in arguments if name not in tensors})

    return golden.verify(kernel, operator, isolate=False, **options)


@pytest.mark.parametrize(("operator", "mutant"), ODD)
def test_an_odd_mistake_stays_unnamed(operator: str, mutant: Any) -> None:
    run = verified(operator, mutant, dtypes=("float16",))
    assert not run.passed
    assert run.cause is not None
    assert run.cause.kind in ("unknown", "nearest"), run.text()


@pytest.mark.parametrize("operator", GRADIENTS)
def test_a_right_variant_passes(operator: str) -> None:
    mutant = next(mutant for mutant in load("right") if mutant.name == "tree_float32")
    run = verified(operator, mutant, dtypes=("float16", "float32"))
    assert run.passed, run.text()
    assert run.cause is None
