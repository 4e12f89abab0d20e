"""Rows drawn at random: every operator, dtype, layout, size, factor and window that users may have.

What a benchmark says about rows of its author's choice need not hold for other rows; what it says about a sample does.
The rows follow from the declarations (`acltwin.ops`) and from a seed: a new operator joins by itself.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from random import Random

from acltwin.ops import OpSpec
from bench.cases import (
    OPERATORS,
    Case,
    Layout,
    Row,
    Sizes,
    Window,
    dtype_of,
    dtypes_of,
    has_indices,
    has_window,
    is_adaptive,
)

LEAST_CELLS = 300
MOST_BYTES = 64 << 20
SAMPLES = (1, 1, 2, 4)
CHANNELS = (1, 2, 3, 8, 16, 32, 64)
FACTORS = (2.0, 2.0, 2.0, 3.0, 4.0, 1.5, 1.7, 2.5, 0.5, 0.75, 1.0)
WINDOWS = ((2, 2, 0), (3, 2, 1), (3, 1, 1), (3, 3, 0), (4, 2, 1), (5, 2, 2))  # kernel, stride, padding
ADAPTED = (1, 1, 2, 3, 4, 6, 7, 7, 8, 14)  # what networks pool to
LAYOUTS: dict[Layout, int] = {"contiguous": 9, "channels-last": 7, "row pitch": 2, "permuted H/W": 2}


def sample_rows(count: int, seed: int, operators: Sequence[str] = tuple(OPERATORS)) -> list[Row]:
    random = Random(seed)
    return [_row(random, sorted(operators)) for _ in range(count)]


def _row(random: Random, operators: Sequence[str]) -> Row:
    spec = OPERATORS[random.choice(operators)]
    dtypes = dtypes_of(spec)
    dtype = random.choice((*dtypes, *(name for name in dtypes if name == "float32")))  # twice as often
    layouts = {name: share for name, share in LAYOUTS.items() if name != "permuted H/W" or len(spec.axes) > 1}
    (layout,) = random.choices(list(layouts), list(layouts.values()))
    channels = random.choice(CHANNELS) if random.random() < 0.8 else random.randint(1, 100)
    batch = (random.choice(SAMPLES), channels)
    most = MOST_BYTES // dtype_of(dtype).itemsize
    cells = math.exp(random.uniform(math.log(LEAST_CELLS), math.log(most)))
    draw = _windows if has_window(spec) else _adaptive if is_adaptive(spec) else _upsampling
    case = draw(random, spec, dtype, batch, layout, max(1.0, cells / math.prod(batch)))
    return Row(case, random.choice((1, len(os.sched_getaffinity(0)))))


def _plane(random: Random, axes: int, cells: float, least: Sizes) -> Sizes:
    """About so many cells, with sides of different length."""
    weights = [math.exp(random.gauss(0, 0.4)) for _ in range(axes)]
    unit = (cells / math.prod(weights)) ** (1 / axes)
    return tuple(max(n, round(unit * weight)) for n, weight in zip(least, weights, strict=True))


def _upsampling(random: Random, spec: OpSpec, dtype: str, batch: tuple[int, int], layout: Layout, cells: float) -> Case:
    axes = len(spec.axes)
    one = random.choice(FACTORS) if random.random() < 0.8 else round(random.uniform(0.3, 8.0), 2)
    factors = [one] * axes if random.random() < 0.8 else [random.choice(FACTORS) for _ in range(axes)]
    larger = math.prod(max(factor, 1.0) for factor in factors)
    inner = _plane(random, axes, cells / larger, (1,) * axes)
    outer = tuple(max(1, math.floor(n * factor + 1e-9)) for n, factor in zip(inner, factors, strict=True))
    corners = random.random() < 0.3 and any(argument.common_name == "alignCorners" for argument in spec.inputs)
    return Case(spec.name, dtype, batch, inner, outer, layout=layout, align_corners=corners)


def _adaptive(random: Random, spec: OpSpec, dtype: str, batch: tuple[int, int], layout: Layout, cells: float) -> Case:
    """Mostly to few cells, sometimes by a factor, rarely to more cells than there are."""
    plane = _plane(random, len(spec.axes), cells, (1,) * len(spec.axes))
    one, factor = random.choice(ADAPTED), random.choice((0.5, 0.5, 0.25, 0.3, 0.75))
    if random.random() < 0.5:
        outer = tuple(one if random.random() < 0.05 else min(one, n) for n in plane)
    else:
        outer = tuple(max(1, round(n * factor)) for n in plane)
    index_dtype = random.choice(("int32", "int64")) if has_indices(spec) else "int64"
    return Case(spec.name, dtype, batch, plane, outer, layout=layout, index_dtype=index_dtype)


def _windows(random: Random, spec: OpSpec, dtype: str, batch: tuple[int, int], layout: Layout, cells: float) -> Case:
    axes = len(spec.axes)
    average = spec.family == "average"
    index_dtype = random.choice(("int32", "int64")) if spec.family == "pool" else "int64"
    if spec.family == "unpool":  # indices of windows that touch: each cell is written once
        (kernel, stride, padding), dilation, ceil_mode = random.choice(((2, 2, 0), (3, 3, 0), (4, 4, 0))), 1, False
    else:
        kernel, stride, padding = random.choice(WINDOWS)
        dilation = 2 if random.random() < 0.1 and not average else 1
        ceil_mode = random.random() < 0.25
    fields = [(kernel,) * axes, (stride,) * axes, (padding,) * axes, (dilation,) * axes]
    if random.random() < 0.2:  # the first axis is left alone, as with frames of a video
        for field, value in zip(range(4), (1, 1, 0, 1), strict=True):
            fields[field] = (value, *fields[field][1:])
    include_pad = not (average and random.random() < 0.3)
    window = Window(
        *fields, ceil_mode, include_pad, random.choice((3, 5)) if average and random.random() < 0.1 else None
    )
    least = tuple(d * (k - 1) + 1 for d, k in zip(window.dilation, window.kernel, strict=True))
    plane = _plane(random, axes, cells, least)
    return Case(spec.name, dtype, batch, plane, window=window, layout=layout, index_dtype=index_dtype)
