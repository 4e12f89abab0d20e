"""Upsampling by a wrong index rule: scales, positions, and how they are rounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acltwin.golden.wrong import upsample_kernel
from acltwin.golden.wrong.basics import Array, parse
from acltwin.golden.wrong.catalogue import Catalogue, Result, forward, gradient, has_rows
from acltwin.golden.wrong.faults import SHORT_FLOATS
from acltwin.golden.wrong.upsample_kernel import Axis, Pairs, from_float_bounds, from_source, right_pairs
from acltwin.ops.spec import OpSpec
from acltwin.reference import source_table
from acltwin.reference.source_table import MapRule, scale_given


def exact(spec: OpSpec) -> bool:
    return spec.is_exact


def plain(spec: OpSpec) -> bool:
    return not spec.is_exact


index_rule = Catalogue("upsample").of("index rule")
index_rule(
    "ceil_source",
    "Rounds an output cell's position up instead of down.",
    pairs=lambda axis: from_source(np.ceil(axis.outer * axis.step), axis),
    when=forward,
)
index_rule(
    "rounded_source",
    "Rounds an output cell's position to the nearest instead of down.",
    pairs=lambda axis: from_source(np.rint(axis.outer * axis.step), axis),
)
index_rule(
    "divided_position",
    "Divides an output cell's number by the factor instead of multiplying.",
    pairs=lambda axis: from_source(np.floor(axis.outer / axis.factor), axis),
)
index_rule(
    "reciprocal_step",
    "Multiplies by a rounded reciprocal of the factor.",
    pairs=lambda axis: from_source(np.floor(axis.outer * (np.float32(1.0) / axis.factor)), axis),
)
index_rule(
    "round_half_up",
    "Adds a half after scaling instead of before.",
    pairs=lambda axis: from_source(np.floor(axis.outer * axis.step + np.float32(0.5)), axis),
    when=plain,
)
index_rule(
    "shifted_back",
    "Subtracts the half again after scaling, as linear interpolation does.",
    pairs=lambda axis: from_source(np.floor(axis.outer * axis.step - np.float32(0.5)), axis),
    when=exact,
)
index_rule(
    "whole_factor",
    "Takes the factor for a whole number: o // (out // in).",
    pairs=lambda axis: from_source(np.arange(axis.out_size) // max(1, int(axis.factor)), axis),
)
index_rule(
    "exact_along_w_alone",
    "Applies the nearest-exact rule along W alone, and plain nearest along the other axes.",
    pairs=lambda axis: right_pairs(replace(axis, exact=axis.name == "W")),
    when=exact,
)
index_rule(
    "half_pixel",
    "Takes the cell under the centre (nearest-exact) where plain nearest is meant.",
    pairs=lambda axis: right_pairs(replace(axis, exact=True)),
    when=plain,
)
index_rule(
    "plain_nearest",
    "Takes the plain nearest cell where the nearest-exact one is meant.",
    pairs=lambda axis: right_pairs(replace(axis, exact=False)),
    when=exact,
)
index_rule(
    "torch_rule",
    "Maps cells by PyTorch's rule where the device's is asked for, and the other way round.",
    pairs=lambda axis: right_pairs(replace(axis, rule="device" if axis.rule == "torch" else "torch")),
    when=gradient,
)
index_rule(
    "scale_ignored",
    "Ignores given scales: the sizes alone decide.",
    scales=lambda spec, rule, scales: [None] * len(scales),
)
index_rule(
    "first_scale_everywhere",
    "Uses the first axis's scale on every axis.",
    scales=lambda spec, rule, scales: [upsample_kernel.right_scales(spec, rule, scales)[0]] * len(scales),
    when=has_rows,
)
index_rule(
    "scale_per_axis",
    "Uses each given scale on its own, where all or none count.",
    scales=lambda spec, rule, scales: [scale if scale_given(scale) else None for scale in scales],
    when=lambda spec: spec.scales_together,
)
index_rule(
    "scales_all_or_none",
    "Uses the given scales only if all of them are given, where each counts on its own.",
    scales=lambda spec, rule, scales: scales if all(map(scale_given, scales)) else [None] * len(scales),
    when=lambda spec: not spec.scales_together and has_rows(spec),
)


@index_rule.scales()
def inverted_given_scale(spec: OpSpec, rule: MapRule, scales: Sequence[float | None]) -> Sequence[float | None]:
    """Takes a given scale for its inverse."""
    return [None if scale is None else 1.0 / scale for scale in upsample_kernel.right_scales(spec, rule, scales)]


@index_rule.pairs(when=lambda spec: spec.scales_fit)
def misfitting_scale_used(axis: Axis) -> Pairs:
    """Uses a given scale even where it does not give the size of the output."""
    return right_pairs(axis if axis.misfit is None else replace(axis, scale=axis.misfit))


@index_rule.whole(when=lambda spec: not spec.is_gradient and spec.axes == "HW")
def equal_size_scaled(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    """Uses a given scale along an axis whose size stays, where the device copies."""
    call = parse(operator, tensors, arguments)

    def pairs(axis: Axis) -> Pairs:
        stays = axis.in_size == axis.out_size and call.raw.dtype.name not in call.spec.unscaled_dtypes
        given = call.arguments.get(f"scales_{axis.name.lower()}") if stays else axis.scale
        return right_pairs(replace(axis, scale=given or None))

    return upsample_kernel.upsample(operator, tensors, arguments, pairs=pairs)


@index_rule.pairs()
def inverted_ratio(axis: Axis) -> Pairs:
    """Divides the sizes the wrong way round."""
    if axis.is_gradient:
        return from_float_bounds(np.ceil(axis.inner * axis.step - axis.half), axis)
    return from_source(np.floor(axis.outer * axis.factor), axis)


@index_rule.pairs()
def align_corners(axis: Axis) -> Pairs:
    """Maps the first cell to the first and the last to the last, as with align_corners."""
    step = (axis.in_size - 1) / max(axis.out_size - 1, 1)
    return from_source(np.floor(np.arange(axis.out_size) * step + 0.5), axis)


@index_rule.pairs()
def corner_ratio(axis: Axis) -> Pairs:
    """Divides the sizes less one, (in - 1) / (out - 1), to find the step."""
    step = np.float32(axis.in_size - 1) / np.float32(max(axis.out_size - 1, 1))
    return from_source(np.floor(axis.outer * step), axis)


def computed_in(dtype: np.dtype[Any], factor: float, step: float, axis: Axis) -> Pairs:
    """Positions are computed in another type."""
    half = dtype.type(axis.half)
    if axis.is_gradient:
        bounds = np.arange(axis.in_size + 1).astype(dtype) * dtype.type(factor) - half
        return from_float_bounds(np.ceil(bounds.astype(np.float64)), axis)
    source = (np.arange(axis.out_size).astype(dtype) + half) * dtype.type(step)
    return from_source(np.floor(source.astype(np.float64)), axis)


def positions_in(dtype: np.dtype[Any]) -> Callable[[Axis], Pairs]:
    """By the right scale, in float32."""
    return lambda axis: computed_in(dtype, float(axis.factor), float(axis.step), axis)


def in_double(axis: Axis) -> Pairs:
    factor = axis.scale or axis.out_size / axis.in_size
    return computed_in(DOUBLE, factor, 1.0 / factor, axis)


DOUBLE = np.dtype(np.float64)
for name, dtype, _ in SHORT_FLOATS:
    index_rule(f"{name}_positions", f"Computes positions in {name}.", pairs=positions_in(dtype))
index_rule("double_positions", "Rounds the scale to float32, but multiplies in float64.", pairs=positions_in(DOUBLE))
index_rule(
    "double_scale", "Computes scale and position in float64, where the operator rounds to float32.", pairs=in_double
)


@index_rule.pairs(when=plain)
def integer_division(axis: Axis) -> Pairs:
    """Computes positions with integers, o * in // out, where float32 rounds."""
    if axis.scale is not None:
        return right_pairs(axis)
    return from_source(np.arange(axis.out_size) * axis.in_size // axis.out_size, axis)


@index_rule.pairs(when=lambda spec: not spec.is_gradient and spec.is_exact)
def distributed_half(axis: Axis) -> Pairs:
    """Computes o * t + 0.5 * t instead of (o + 0.5) * t."""
    numbers = np.arange(axis.out_size).astype(np.float32)
    return from_source(np.floor(numbers * axis.step + np.float32(0.5) * axis.step), axis)


@index_rule.pairs(when=lambda spec: spec.is_gradient and spec.is_exact)
def fused_multiply_subtract(axis: Axis) -> Pairs:
    """Multiplies and subtracts the half in one step, without rounding in between."""
    fused = (np.arange(axis.in_size + 1) * float(axis.factor) - 0.5).astype(np.float32)
    return from_float_bounds(np.ceil(fused), axis)


@index_rule.pairs(when=gradient)
def floor_bounds(axis: Axis) -> Pairs:
    """Begins each cell's interval at the floor instead of the ceiling."""
    return from_float_bounds(np.floor(axis.inner * axis.factor - axis.half), axis)


@index_rule.pairs(when=gradient)
def rounded_bounds(axis: Axis) -> Pairs:
    """Begins each cell's interval at the nearest whole number instead of the ceiling."""
    return from_float_bounds(np.rint(axis.inner * axis.factor - axis.half), axis)


@index_rule.pairs(when=gradient)
def forward_map_scattered(axis: Axis) -> Pairs:
    """Scatters through the forward pass's map instead of collecting by intervals."""
    source = source_table(axis.in_size, axis.out_size, axis.scale, axis.exact, axis.rule)
    return source, np.arange(axis.out_size)
