"""What a result must be: the additions in their documented order, one by one, and bounds on the error of any order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from acltwin.ops import OPERATORS
from acltwin.reference.interval_table import interval_table
from acltwin.reference.source_table import scale_given
from support.cases import Case
from support.values import Array, sum_dtype

ROWS_PER_GROUP = 8


def interval_tables(case: Case) -> list[Array]:
    """The interval tables of the call, by the rules for taking the scales together or one by one."""
    outer, (_, _, *inner), *scales = case.parameters
    scales = scales or [0.0] * len(outer)
    rule = case.keywords.get("rule", "device")
    spec = OPERATORS[case.operator]
    if rule == "device" and spec.scales_together and not all(map(scale_given, scales)):
        scales = [0.0] * len(outer)
    if rule == "device" and spec.scales_fit:
        scales = [
            s if scale_given(s) and math.floor(i * s) == o else 0.0
            for i, o, s in zip(inner, outer, scales, strict=True)
        ]
    return [
        interval_table(i, o, s, exact=spec.is_exact, rule=rule) for i, o, s in zip(inner, outer, scales, strict=True)
    ]


def _running_sum(terms: Sequence[Array]) -> Array:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _sum_of_rows(rows: Array) -> Array:
    """(planes, rows, columns) -> (planes, columns): groups of rows, then the groups."""
    groups = [
        _running_sum([rows[:, r] for r in range(first, min(first + ROWS_PER_GROUP, rows.shape[1]))])
        for first in range(0, rows.shape[1], ROWS_PER_GROUP)
    ]
    return _running_sum(groups)


def _sums_along_w(columns: Array, begin: Array) -> Array:
    """Every cell's columns, ascending, from +0.0 on; all cells at once."""
    first, length = begin[:-1], np.diff(begin)
    sums = np.zeros((columns.shape[0], len(first)), columns.dtype)
    if columns.shape[1] == 0:
        return sums
    for step in range(int(length.max(initial=0))):
        term = columns[:, np.minimum(first + step, columns.shape[1] - 1)]
        sums = np.where(step < length, sums + term, sums)
    return sums


def ordered_interval_sum(grad_out: Array, tables: Sequence[Array]) -> Array:
    """An upsample gradient, (N, C, [D,] H, W): its additions in the documented order, one rounding at the end."""
    planes = grad_out.astype(sum_dtype(grad_out.dtype)).reshape(-1, *_spatial(grad_out.shape))
    begin_d, begin_h, begin_w = (np.array([0, 1]), np.array([0, 1]), *tables)[-3:]
    size = tuple(len(begin) - 1 for begin in (begin_d, begin_h, begin_w))
    result = np.zeros((planes.shape[0], *size), planes.dtype)
    for d in range(size[0]):
        for h in range(size[1]):
            box = planes[:, begin_d[d] : begin_d[d + 1], begin_h[h] : begin_h[h + 1]]
            if box.shape[1] and box.shape[2]:
                rows = box.reshape(planes.shape[0], -1, planes.shape[-1])
                result[:, d, h] = _sums_along_w(_sum_of_rows(rows), begin_w)
    return result.astype(grad_out.dtype).reshape(*grad_out.shape[:2], *size[3 - len(tables) :])


def _spatial(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (1, 1, *shape[2:])[-3:]


def ordered_scatter_sum(grad_output: Array, indices: Array, shape: tuple[int, ...], axes: int = 3) -> Array:
    """A pooling gradient: zeros, then one addition per window, ascending; one rounding at the end."""
    cells = int(np.prod(shape[-axes:]))
    planes = int(np.prod(shape[:-axes]))
    sums = np.zeros((planes, cells), sum_dtype(grad_output.dtype))
    terms = grad_output.astype(sums.dtype).reshape(planes, -1)
    for plane, places, values in zip(sums, indices.reshape(planes, -1), terms, strict=True):
        np.add.at(plane, places, values)
    return sums.astype(grad_output.dtype).reshape(shape)


def assert_within_summation_error(actual: Array, exact: Array, magnitude: Array, terms: int, what: object = "") -> None:
    """`magnitude` is the same sum of absolute values: the error of n additions is at most n rounding errors of it."""
    unit = _epsilon(sum_dtype(actual.dtype)) / 2
    bound = (
        1.01 * terms * unit * magnitude + _epsilon(actual.dtype) / 2 * np.abs(exact) * 1.01 + _smallest(actual.dtype)
    )
    error = np.abs(actual.astype(np.float64) - exact)
    worst = np.unravel_index(np.argmax(error - bound), error.shape)
    assert (error <= bound).all(), f"at {worst}: {actual[worst]}, expected {exact[worst]} +- {bound[worst]}; {what}"


_finfo: Any = ml_dtypes.finfo  # NumPy's knows no bfloat16


def _epsilon(dtype: np.dtype[Any]) -> float:
    return float(_finfo(dtype).eps)


def _smallest(dtype: np.dtype[Any]) -> float:
    return float(_finfo(dtype).smallest_subnormal)
