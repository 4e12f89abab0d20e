"""Empty batches give empty results, of the right shape and kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS as SPECS
from support import registry
from support.cases import OPERATORS, Case, small_case
from support.lazy import jax, torch
from support.libraries import Foreign, to_jax, to_torch
from support.messages import explains

KINDS: list[tuple[Any, Callable[[], type]]] = [
    (np.copy, lambda: np.ndarray),
    (to_torch, lambda: torch.Tensor),
    (to_jax, lambda: jax.Array),
    (Foreign, lambda: np.ndarray),
]


def emptied(case: Case, axis: int) -> Case:
    """The call with no element along N or C."""
    case = case.mapped(lambda tensor: tensor[(slice(None),) * axis + (slice(0, 0),)], masks=True)
    if len(case.tensors) > 1:
        return case
    size = list(case.parameters[1])
    size[axis] = 0
    return Case(case.operator, case.tensors, (case.parameters[0], tuple(size)))


@pytest.mark.parametrize(("convert", "kind"), KINDS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_an_empty_batch_gives_an_empty_result(operator: str, convert: Any, kind: Callable[[], type]) -> None:
    case = emptied(small_case(operator), 0)
    result: Any = case.mapped(convert, masks=True).run()
    assert issubclass(type(result), kind())
    assert tuple(result.shape) == case.result_shape
    assert 0 in result.shape


@pytest.mark.parametrize("operator", [operator for operator in OPERATORS if SPECS[operator].family != "unpool"])
def test_no_channels_give_an_empty_result(operator: str) -> None:
    case = emptied(small_case(operator), 1)
    assert case.run().shape == case.result_shape


@pytest.mark.parametrize("operator", [operator for operator in OPERATORS if SPECS[operator].family == "unpool"])
def test_unpooling_wants_channels(operator: str) -> None:
    """Documented: every dimension but the first must be above 0."""
    with explains(ValueError, operator, "only the batch may be empty"):
        emptied(small_case(operator), 1).run()


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_empty_out_is_returned(operator: str) -> None:
    case = emptied(small_case(operator), 0)
    out = np.zeros(case.result_shape, np.float32)
    assert case.run(out=out) is out


@pytest.mark.parametrize("operator", [operator for operator in OPERATORS if registry.takes_sizes(operator)])
def test_even_empty_calls_are_checked(operator: str) -> None:
    case = emptied(small_case(operator), 0)
    with explains(ValueError, operator, "expected"):
        Case(operator, case.tensors, ((1, 2, 3, 4), *case.parameters[1:])).run()


def test_a_gradient_without_cells_gives_zeros() -> None:
    """Only the 2-D operator allows it: it never compares output_size with the gradient."""
    result = acltwin.upsample_nearest_exact2d_backward(np.zeros((1, 2, 0, 4), np.float32), (1, 4), (1, 2, 3, 2))
    assert result.shape == (1, 2, 3, 2)
    assert not result.any()
