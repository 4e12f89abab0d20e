"""The reference's interval tables: against the formulas read aloud, against PyTorch, and against the core's."""

from __future__ import annotations

import numpy as np
import pytest

from acltwin import _core
from acltwin.reference import interval_table
from support.lazy import torch

EXACT = pytest.mark.parametrize("exact", [False, True], ids=["nearest", "exact"])
RULES = pytest.mark.parametrize("rule", ["device", "torch"])


def owners(table: np.ndarray, out_size: int) -> list[int]:
    """For each gradOut cell the gradInput cell that collects it; -1 if none does."""
    cells = [-1] * out_size
    for i in range(len(table) - 1):
        for o in range(table[i], table[i + 1]):
            cells[o] = i
    return cells


def test_doubling_and_the_borders_where_the_rules_differ() -> None:
    assert interval_table(2, 4, 0.0, False).tolist() == [0, 2, 4]
    assert interval_table(2, 3, 0.0, True).tolist() == [0, 1, 3]
    assert owners(interval_table(26, 14, 0.0, False, "device"), 14)[7] == 12
    assert owners(interval_table(26, 14, 0.0, False, "torch"), 14)[7] == 13
    assert owners(interval_table(2, 41, 0.0, True, "device"), 41)[20] == 1
    assert owners(interval_table(2, 41, 0.0, True, "torch"), 41)[20] == 0


def test_given_scales_may_drop_cells_or_leave_some_empty() -> None:
    assert owners(interval_table(4, 4, 0.5, False), 4) == [0, 2, -1, -1]
    assert owners(interval_table(8, 4, 2.0, True), 4) == [0, 0, 1, 1]


@EXACT
@pytest.mark.parametrize(("in_size", "out_size"), [(1, 9), (5, 3), (7, 7), (6, 12), (26, 14), (33, 100)])
@pytest.mark.parametrize("scale", [None, 0.7, 2.0, 3.3])
def test_the_torch_rule_is_pytorchs_map(in_size: int, out_size: int, scale: float | None, exact: bool) -> None:
    """As its backward kernels see it: one channel per gradOut cell tells where that cell went."""
    backward = (
        torch.ops.aten._upsample_nearest_exact1d_backward if exact else torch.ops.aten.upsample_nearest1d_backward
    )
    went = backward(torch.eye(out_size).reshape(1, out_size, out_size), [out_size], [1, out_size, in_size], scale)
    expected = went.reshape(out_size, in_size).argmax(1).tolist()
    assert owners(interval_table(in_size, out_size, scale, exact, "torch"), out_size) == expected


@EXACT
@RULES
def test_the_core_makes_the_same_tables(exact: bool, rule: str, rng: np.random.Generator) -> None:
    scales = [0.0, -1.0, float("nan"), float("inf"), 1e-60, 1e-45, 1e-40, 1e38, 1e300]
    for _ in range(3000):
        in_size, out_size = (int(n) for n in rng.integers(1, 200, 2))
        scale = float(rng.choice([0.0, rng.uniform(0.05, 8.0), out_size / in_size, rng.choice(scales)]))
        mine = interval_table(in_size, out_size, scale, exact, rule)
        assert _core.interval_table(in_size, out_size, scale, exact, rule) == mine.tolist(), (in_size, out_size, scale)
