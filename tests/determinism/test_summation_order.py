"""The order of the additions, on sizes where threads, groups of rows and every fold take part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support import registry
from support.cases import DTYPES, NEAREST3D, OPERATORS, Case, name_of, upsample
from support.large import huge_cases, large_cases
from support.oracles import interval_tables, ordered_interval_sum, ordered_scatter_sum
from support.thorough import THOROUGH
from support.values import assert_same_bits

CELLS = 1 << (20 if THOROUGH else 19)
OTHERS = tuple(name for name in OPERATORS if registry.family_of(name) not in ("upsample", "pool"))
CASES = {name: make for name, make in (large_cases(CELLS) | huge_cases()).items() if not name.startswith(OTHERS)}


@pytest.mark.parametrize("name", CASES)
def test_large_cases_follow_the_documented_order(name: str) -> None:
    case = CASES[name]()
    if registry.family_of(case.operator) == "pool":
        expected = ordered_scatter_sum(
            case.tensors[0], case.tensors[2], case.result_shape, registry.axes_of(case.operator)
        )
    else:
        expected = ordered_interval_sum(case.tensors[0], interval_tables(case))
    assert_same_bits(case.run(), expected, name)


@pytest.mark.parametrize("dtype", DTYPES[NEAREST3D], ids=name_of)
@pytest.mark.parametrize("rows", [7, 8, 9, 15, 16, 17, 40])
def test_rows_are_added_in_groups_of_eight(dtype: np.dtype[Any], rows: int, rng: np.random.Generator) -> None:
    for columns in (1, 3, 8, 33):
        for shape in ((1, rows, 2 * columns), (rows, 1, 2 * columns), (rows, 3, 2 * columns)):
            case = upsample(rng, NEAREST3D, dtype, shape, (1, 1, columns))
            assert_same_bits(case.run(), ordered_interval_sum(case.tensors[0], interval_tables(case)), shape)


def test_rows_first_makes_long_sums_more_exact() -> None:
    """One running sum of 2**25 float32 ones would stop at 2**24."""
    rows = 1 << 18
    case = Case(
        NEAREST3D,
        (np.broadcast_to(np.float32(1), (1, 1, 1, rows, 128)),),
        ((1, rows, 128), (1, 1, 1, 1, 1)),
    )
    assert case.run().item() == rows * 128
