"""By the device rule every gradient goes where the interval formula in float32 says; what lies behind is dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.reference import interval_table
from support.cases import AXES, EXACT2D, EXACT3D, NEAREST3D
from support.coded import CHANNELS, LONGEST, coded_cells, collected
from support.thorough import THOROUGH, a_third_of

SIZES = range(1, LONGEST + 1)
PAIRS = [(inner, outer) for inner in SIZES for outer in SIZES]
CODES = {n: coded_cells(n) for n in SIZES}
OPERATORS_OF_MODE = pytest.mark.parametrize("operators", [[NEAREST3D], [EXACT3D, EXACT2D]], ids=["nearest", "exact"])


def wrong_axes(operators: list[str], inner: int, outer: int, scale: float) -> list[tuple[Any, ...]]:
    """The sizes on one axis after the other, the other ones being 1; which of them do not give what the table says."""
    begin = interval_table(inner, outer, scale, exact=operators != [NEAREST3D], rule="device")
    expected = collected(CODES[outer], begin)
    wrong = []
    for operator in operators:
        axes = AXES[operator]
        for axis in range(axes):
            others = (1,) * axis, (1,) * (axes - 1 - axis)
            outer_size, inner_size = ((*others[0], n, *others[1]) for n in (outer, inner))
            scales = [scale if a == axis else 1.0 for a in range(axes)] if scale else []
            gradient = CODES[outer].reshape(1, CHANNELS, *outer_size)
            result = getattr(acltwin, operator)(gradient, outer_size, (1, CHANNELS, *inner_size), *scales)
            if not np.array_equal(result.reshape(CHANNELS, inner), expected):
                wrong.append((operator, axis, inner, outer, scale))
    return wrong


@OPERATORS_OF_MODE
def test_every_pair_of_sizes(operators: list[str]) -> None:
    wrong = [call for inner, outer in a_third_of(PAIRS) for call in wrong_axes(operators, inner, outer, 0.0)]
    assert not wrong, f"{len(wrong)} (axis, in, out) differ from the formula, such as {wrong[:5]}"


@OPERATORS_OF_MODE
def test_every_pair_of_sizes_with_a_given_scale(operators: list[str], rng: np.random.Generator) -> None:
    """Scales far from out / in leave cells empty or drop gradients."""
    wrong = []
    for inner, outer in a_third_of(PAIRS):
        scale = (outer / inner, 2.0, 1.5, rng.uniform(0.01, 4), rng.integers(1, 60) / 7)[rng.integers(5)]
        wrong += wrong_axes(operators, inner, outer, float(scale))
    assert not wrong, f"{len(wrong)} (axis, in, out, scale) differ from the formula, such as {wrong[:5]}"


def test_cells_behind_the_last_interval_are_dropped() -> None:
    gradient = np.arange(1, 11, dtype=np.float32).reshape(1, 1, 1, 1, 10)
    result = acltwin.upsample_nearest3d_backward(gradient, (1, 1, 10), (1, 1, 1, 1, 3), 1.0, 1.0, 2.0)
    assert result.ravel().tolist() == [1 + 2, 3 + 4, 5 + 6]  # 7 to 10 belong to no cell
    by_pytorch = acltwin.upsample_nearest3d_backward(gradient, (1, 1, 10), (1, 1, 1, 1, 3), 1.0, 1.0, 2.0, rule="torch")
    assert by_pytorch.ravel().tolist() == [3, 7, 5 + 6 + 7 + 8 + 9 + 10]


def test_the_two_rules_differ_only_by_rounding_at_a_border() -> None:
    """Two known pairs: nearest 26 -> 14, cell 7; exact 2 -> 41, cell 20."""
    known = [(NEAREST3D, 26, 14, 7, 12, 13), (EXACT3D, 2, 41, 20, 1, 0)]
    for operator, inner, outer, cell, on_device, in_pytorch in known:
        gradient = np.zeros((1, 1, 1, 1, outer), np.float32)
        gradient[..., cell] = 1
        for rule, place in (("device", on_device), ("torch", in_pytorch)):
            result = getattr(acltwin, operator)(gradient, (1, 1, outer), (1, 1, 1, 1, inner), rule=rule)
            assert result.ravel().nonzero()[0].tolist() == [place]


@pytest.mark.skipif(not THOROUGH, reason="test_adjoint.py counts the same pairs by another property")
@pytest.mark.parametrize(("exact", "pairs"), [(False, 911), (True, 799)])
def test_how_many_pairs_the_rules_tell_apart(exact: bool, pairs: int) -> None:
    differing = sum(
        not np.array_equal(
            interval_table(inner, outer, 0.0, exact=exact, rule="device"),
            interval_table(inner, outer, 0.0, exact=exact, rule="torch"),
        )
        for inner in SIZES
        for outer in SIZES
    )
    assert differing == pairs
