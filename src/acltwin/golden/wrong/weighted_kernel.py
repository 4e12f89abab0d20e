"""Averages, linear and cubic resampling and gradients, every part replaceable; unless one is, the result is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.products import Add, Table, summed, taps_of
from acltwin.golden.cases.weights import Rule, documented_weights
from acltwin.golden.judge.expected import result_sizes
from acltwin.golden.wrong.basics import Alter, Array, Call, Read, nearest_even, parse, unchanged, wide

Change = Callable[[Rule], Rule]
Weights = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def weighted(
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, object],
    *,
    rule: Change = lambda rule: rule,
    weights: Weights = lambda weights: weights,
    swapped: bool = False,  # the tables of the last two axes, as far as they reach
    add: Add = np.add,
    by_cells: bool = False,  # all sources of a cell one by one, or axis by axis
    descending: bool = False,
    float64: bool = False,
    between: Callable[[Array], Array] = lambda sums: sums,
    read: Read = unchanged,
    finish: Callable[[Array, np.dtype[Any]], Array] = nearest_even,
    alter: Alter = unchanged,
) -> Array:
    call = parse(operator, tensors, arguments)
    values = wide(read(call.values, call))
    values = values.astype(np.float64) if float64 else values
    source, result = values.shape[2:], result_sizes(call.spec, tensors, arguments)
    map_rule = str(call.arguments.get("rule", "device"))
    documented = documented_weights(call.spec, call.arguments, source, result, call.raw.dtype.name, map_rule)
    tables = exchanged(rule(documented), source, result) if swapped else rule(documented).tables(source, result)
    taps = [taps_of(weights(table.weights), values.dtype, descending) for table in tables]
    total = summed(values, taps, add) if by_cells else values
    for axis, one in () if by_cells else enumerate(taps):
        turned = np.moveaxis(total, 2 + axis, 2)
        total = np.moveaxis(between(summed(turned, [one], add)), 2, 2 + axis)
    return call.restored(alter(finish(np.ascontiguousarray(total), call.raw.dtype), call))


def exchanged(rule: Rule, source: Sequence[int], result: Sequence[int]) -> list[Table]:
    """The tables of sizes with H and W exchanged, cut to the axis they are used for."""
    order = (*range(len(source) - 2), len(source) - 1, len(source) - 2)
    tables = rule.tables([source[axis] for axis in order], [result[axis] for axis in order])
    found = list(rule.tables(source, result))
    for axis in order[-2:]:
        other = tables[axis].weights
        rows = np.minimum(np.arange(result[axis]), other.shape[0] - 1)
        weights = np.zeros((result[axis], source[axis]))
        width = min(source[axis], other.shape[1])
        weights[:, :width] = other[rows, :width]
        found[axis] = Table(weights, np.zeros_like(weights), weights != 0)
    return found


def largest(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Array:
    """The largest source of every cell instead of the sum."""
    call: Call = parse(operator, tensors, arguments)
    values = wide(call.values)
    source, result = values.shape[2:], result_sizes(call.spec, tensors, arguments)
    tables = documented_weights(call.spec, call.arguments, source, result, call.raw.dtype.name).tables(source, result)
    best = values
    for axis, table in enumerate(tables):
        turned = np.moveaxis(best, 2 + axis, -1)[..., None, :]
        found = np.where(table.reached, turned, -np.inf).max(-1)
        best = np.moveaxis(np.where(table.reached.any(1), found, 0.0), -1, 2 + axis)
    return call.restored(nearest_even(np.ascontiguousarray(best.astype(values.dtype)), call.raw.dtype))
