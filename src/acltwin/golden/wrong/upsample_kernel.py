"""Nearest upsampling and its gradient with every part replaceable; unless one is replaced, the result is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.family import scale_names
from acltwin.golden.wrong import basics
from acltwin.golden.wrong.basics import Alter, Array, Call, Places, Read, Total
from acltwin.ops.spec import OpSpec
from acltwin.reference import interval_table, source_table
from acltwin.reference._upsample import ignored_factors, is_small_image
from acltwin.reference.source_table import MapRule, positions, scale_given


@dataclass(frozen=True)
class Axis:
    """One spatial axis: ``in_size`` cells of the forward pass's input become ``out_size`` cells."""

    name: str
    in_size: int
    out_size: int
    scale: float | None  # None: the sizes decide
    exact: bool
    rule: MapRule
    is_gradient: bool
    fused: bool = False  # as PyTorch multiplies and adds beyond small images
    misfit: float | None = None  # a scale that does not give the size of the output, where that is why it is ignored

    @property
    def factor(self) -> np.float32:
        """The factor of the forward pass."""
        if self.scale is not None:
            return np.float32(self.scale)
        return np.float32(self.out_size) / np.float32(self.in_size)

    @property
    def step(self) -> np.float32:
        """What an output cell's number is multiplied by."""
        if self.scale is not None:
            return np.float32(1.0 / self.scale)
        return np.float32(self.in_size) / np.float32(self.out_size)

    @property
    def half(self) -> np.float32:
        """From a cell's start to its centre, if centres matter."""
        return np.float32(0.5 if self.exact else 0.0)

    @property
    def outer(self) -> NDArray[np.float32]:
        """The numbers of the output cells, at their centres if those matter."""
        return np.arange(self.out_size).astype(np.float32) + self.half

    @property
    def inner(self) -> NDArray[np.float32]:
        """The numbers of the input cells, and of the one behind the last."""
        return np.arange(self.in_size + 1).astype(np.float32)

    @property
    def bounds(self) -> Places:
        """The right ones: input cell i owns the output cells from ``bounds[i]`` up to ``bounds[i + 1]``."""
        return interval_table(self.in_size, self.out_size, self.scale, self.exact, self.rule)


Pairs = tuple[Places, Places]
"""Numbers of input cells and numbers of the output cells that belong to them."""
Scales = Callable[[OpSpec, MapRule, Sequence[float | None]], Sequence[float | None]]


def right_scales(spec: OpSpec, rule: MapRule, scales: Sequence[float | None]) -> Sequence[float | None]:
    """Scales that are not given become None; some operators of the device use all of them or none."""
    used = [scale if scale_given(scale) else None for scale in scales]
    together = spec.scales_together and rule == "device"
    return [None] * len(used) if together and None in used else used


def right_pairs(axis: Axis) -> Pairs:
    if not axis.is_gradient:
        source = source_table(axis.in_size, axis.out_size, axis.scale, axis.exact, axis.rule, axis.fused)
        return source, np.arange(axis.out_size)
    return from_bounds(axis.bounds)


def from_bounds(bounds: Places) -> Pairs:
    """Input cell i owns the output cells from ``bounds[i]`` up to ``bounds[i + 1]``."""
    return from_intervals(bounds[:-1], bounds[1:])


def from_intervals(begin: Places, end: Places) -> Pairs:
    length = np.maximum(end - begin, 0)
    inner = np.repeat(np.arange(len(begin)), length)
    first = np.repeat(begin - (np.cumsum(length) - length), length)
    return inner, first + np.arange(len(inner))


def from_source(source: Array, axis: Axis) -> Pairs:
    """Output cell o belongs to input cell ``source[o]``. Beyond the last one, copies clamp, the device's sums drop."""
    dropping = axis.is_gradient and axis.rule == "device"
    kept = np.flatnonzero(source < axis.in_size) if dropping else np.arange(axis.out_size)
    return positions(np.asarray(source)[kept], axis.in_size - 1), kept


def from_float_bounds(bounds: Array, axis: Axis) -> Pairs:
    """As ``from_bounds``, for ceiled numbers that may lie outside."""
    return from_bounds(positions(np.asarray(bounds), axis.out_size))


def upsample(
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, object],
    *,
    scales: Scales = right_scales,
    pairs: Callable[[Axis], Pairs] = right_pairs,
    read: Read = basics.unchanged,
    total: Total = basics.running_sum,
    between: Callable[[Array], Array] | None = None,  # sums axis by axis, and what happens to each
    finish: Callable[[Array, np.dtype[np.generic]], Array] = basics.nearest_even,
    alter: Alter = basics.unchanged,
) -> Array:
    call = basics.parse(operator, tensors, arguments)
    axes = axes_of(call, scales)
    values = read(call.values, call)
    tables = [pairs(axis) for axis in axes]
    if not call.spec.is_gradient:
        result = _copied(values, axes, tables)
    elif between is None:
        result = finish(_collected(basics.wide(values), [axis.in_size for axis in axes], tables, total), call.raw.dtype)
    else:
        sums = basics.wide(values)
        for number, (axis, table) in enumerate(zip(axes, tables, strict=True)):
            turned = np.moveaxis(sums, number + 2, 2)
            shape = (*turned.shape[:2], axis.in_size, *turned.shape[3:])
            rows = np.moveaxis(turned, 2, 0).reshape(axis.out_size, -1)
            collected = total(rows[table[1]], table[0], axis.in_size)
            planes = collected.reshape(axis.in_size, *shape[:2], *shape[3:])
            sums = between(np.moveaxis(np.moveaxis(planes, 0, 2), 2, number + 2))
        result = finish(sums, call.raw.dtype)
    return call.restored(alter(result, call))


def axes_of(call: Call, scales: Scales = right_scales) -> list[Axis]:
    spec = call.spec
    rule: MapRule = "torch" if call.arguments.get("rule") == "torch" else "device"
    given = [call.arguments.get(name) for name in scale_names(spec)]
    used = scales(spec, rule, given)
    sizes = call.values.shape[2:]
    others = _input_sizes(call) if spec.is_gradient else [int(size) for size in call.arguments["output_size"]]
    small, large = (others, sizes) if spec.is_gradient else (sizes, others)
    axes = [
        Axis(name, n, o, scale, spec.is_exact, rule, spec.is_gradient, not is_small_image(large))
        for name, n, o, scale in zip(spec.axes, small, large, used, strict=True)
    ]
    if spec.scales_fit and rule == "device":
        axes = [_without_misfit(axis) for axis in axes]
    return axes if spec.is_gradient else [_without_ignored_scale(call, axis, others) for axis in axes]


def _without_misfit(axis: Axis) -> Axis:
    """Some operators of the device use a scale only if it gives the size of the output."""
    fits = axis.scale is None or math.floor(axis.in_size * axis.scale) == axis.out_size
    return axis if fits else replace(axis, scale=None, misfit=axis.scale)


def _without_ignored_scale(call: Call, axis: Axis, output_size: Sequence[int]) -> Axis:
    """A forward pass has shortcuts for some factors; the device's nearest images round scales, or have none."""
    factors = ignored_factors(call.raw, output_size, axis.exact, call.channels_last, axis.rule)
    if axis.out_size in [factor * axis.in_size for factor in factors]:
        return replace(axis, scale=None)
    rounds = any(argument.kind == "float" for argument in call.spec.inputs)
    if axis.scale is None or axis.rule == "torch" or not rounds:
        return axis
    unscaled = call.raw.dtype.name in call.spec.unscaled_dtypes
    return replace(axis, scale=None if unscaled else float(np.float32(axis.scale)))


def _input_sizes(call: Call) -> list[int]:
    sizes = [int(size) for size in call.arguments["input_size"]]
    fits, fits_last = tuple(sizes[:2]) == call.batch, (sizes[0], sizes[-1]) == call.batch
    last = fits_last if call.spec.input_size_follows_format else not fits  # where both fit, the operator's own order
    return sizes[1:-1] if call.channels_last and last else sizes[2:]


def crossed(tables: Sequence[Places], sizes: Sequence[int]) -> Places:
    """Places in the flattened plane for every combination of the axes' entries."""
    strides = [math.prod(sizes[number + 1 :]) for number in range(len(sizes))]
    parts = np.ix_(*(table * stride for table, stride in zip(tables, strides, strict=True)))
    return np.asarray(reduce(np.add, parts)).ravel()


def _collected(values: Array, sizes: Sequence[int], tables: Sequence[Pairs], total: Total) -> Array:
    targets = crossed([inner for inner, _ in tables], sizes)
    sources = crossed([outer for _, outer in tables], values.shape[2:])
    rows = values.reshape(values.shape[0] * values.shape[1], -1).T
    return total(rows[sources], targets, math.prod(sizes)).T.reshape(*values.shape[:2], *sizes)


def _copied(values: Array, axes: Sequence[Axis], tables: Sequence[Pairs]) -> Array:
    """Cells that no pair names stay 0."""
    result = values
    for number, (axis, (inner, outer)) in enumerate(zip(axes, tables, strict=True), start=2):
        turned = np.moveaxis(result, number, 0)
        rows = np.zeros((axis.out_size, *turned.shape[1:]), values.dtype)
        rows[outer] = turned[inner]
        result = np.moveaxis(rows, 0, number)
    return np.ascontiguousarray(result)
