"""Which cell each cell copies: as PyTorch by the torch rule, as the formula by the device rule, for every size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS
from acltwin.reference import source_table
from support.forward import AXES, EXACT3D, UPSAMPLE
from support.one_axis import PAIRS, OneAxis, calls_unlike_pytorch
from support.processes import output_of
from support.pytorch_maps import FUSED_PAIRS, FUSES
from support.thorough import THOROUGH, a_third_of

EXACT = [operator for operator in UPSAMPLE if OPERATORS[operator].is_exact]


def pairs_for(operator: str) -> Sequence[tuple[int, int]]:
    """All axes of all operators share the tables of a rule, so that lines and images need a few of them."""
    return a_third_of(PAIRS) if AXES[operator] == 3 or THOROUGH else PAIRS[::13]


@FUSES
@pytest.mark.parametrize("operator", UPSAMPLE)
def test_every_pair_of_sizes_and_given_scales_as_pytorch(operator: str) -> None:
    for axis in range(AXES[operator]):
        assert calls_unlike_pytorch(operator, axis, pairs_for(operator)) == ([], [])


@FUSES
@pytest.mark.parametrize("operator", UPSAMPLE)
def test_long_axes_and_given_scales_as_pytorch(operator: str, rng: np.random.Generator) -> None:
    pairs = [(int(inner), int(outer)) for inner, outer in rng.integers(1, 4000, (600, 2))]
    for axis in range(AXES[operator]):
        assert calls_unlike_pytorch(operator, axis, pairs, longest=4000) == ([], [])


@FUSES
@pytest.mark.parametrize("operator", EXACT)
def test_pairs_of_sizes_that_a_fused_multiply_add_decides(operator: str) -> None:
    """Where one rounding and two give different cells: 75 pairs along each axis."""
    for axis in range(AXES[operator]):
        assert calls_unlike_pytorch(operator, axis, FUSED_PAIRS)[0] == []


def test_pytorch_without_fused_multiply_add_maps_few_pairs_otherwise() -> None:
    """On processors without it, of which there are hardly any left: 16 pairs of sizes up to 160, of 25,600."""
    code = f"from support.one_axis import *; print(len(calls_unlike_pytorch({EXACT3D!r}, 2, PAIRS)[0]))"
    unlike = int(output_of(code, {"ATEN_CPU_CAPABILITY": "default"}))
    assert unlike in (0, 16)  # 0: there, PyTorch always fuses


@pytest.mark.parametrize("operator", UPSAMPLE)
def test_every_pair_of_sizes_by_the_formula(operator: str, rng: np.random.Generator) -> None:
    along = [OneAxis(operator, axis) for axis in range(AXES[operator])]
    wrong = []
    for inner, outer in pairs_for(operator):
        given = (outer / inner, 2.0, 1.5, rng.uniform(0.01, 4), rng.integers(1, 60) / 7)[rng.integers(5)]
        for scale in (0.0, float(given)):
            expected = along[0].formula(inner, outer, scale)
            wrong += [
                (calls.axis, inner, outer, scale)
                for calls in along
                if not np.array_equal(calls.result(inner, outer, scale), expected)
            ]
    assert not wrong, f"{len(wrong)} (axis, in, out, scale) differ from the formula, such as {wrong[:5]}"


def test_cells_behind_the_last_interval_copy_the_last_cell() -> None:
    image = np.arange(1, 4, dtype=np.float32)
    for rule in ("device", "torch"):
        nearest = acltwin.upsample_nearest3d(image.reshape(1, 1, 1, 1, 3), (1, 1, 10), 1.0, 1.0, 2.0, rule=rule)
        assert nearest.ravel().tolist() == [1, 1, 2, 2, 3, 3, 3, 3, 3, 3]


def test_absurd_scales_stay_inside() -> None:
    image = np.arange(5, dtype=np.float32)
    for scale in (1e-44, 1e-30, 1e30, 3e38):
        for operator in UPSAMPLE:
            calls = OneAxis(operator, 0)
            result = calls.ours(image.reshape(1, 1, *calls.size(5)), calls.size(9), *(scale,) * calls.axes)
            expected = source_table(5, 9, scale, OPERATORS[operator].is_exact)
            assert np.array_equal(result.ravel(), expected), (operator, scale)


def test_the_two_rules_copy_the_same_cells_but_for_few_pairs() -> None:
    """Up to 2^23 cells; the rules for taking scales together differ, what gradients do, and nearest-exact at borders
    that PyTorch reaches by fused arithmetic."""
    unlike = {
        (exact, fused): sum(
            not np.array_equal(source_table(i, o, 0.0, exact), source_table(i, o, 0.0, exact, "torch", fused))
            for i, o in (PAIRS if exact and fused else a_third_of(PAIRS))
        )
        for exact in (False, True)
        for fused in (False, True)
    }
    assert unlike == {(False, False): 0, (False, True): 0, (True, False): 0, (True, True): 16}
