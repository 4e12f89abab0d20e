"""Average pooling, over windows of one size and to a given size, and the gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acltwin.golden.cases import pool
from acltwin.golden.cases.arrays import sizes_first
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import (
    Family,
    Geometry,
    Level,
    channels_last,
    cut,
    format_of,
    known_keys,
    per_axis,
    sizes,
    takes_windows,
)
from acltwin.golden.cases.fills import Making, unread, values
from acltwin.golden.cases.weights import window_argument
from acltwin.golden.cases.windows import covering, window_count
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

Sizes = tuple[int, int, int]
_KEYS = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override")
# name, batch, plane, kernel, stride, padding, ceil mode, padding counts, divisor, lowest level, what it finds
_Row = tuple[str, tuple[int, ...], Sizes, Sizes, Sizes, Sizes, bool, bool, int, Level, tuple[str, ...]]
_ROWS: tuple[_Row, ...] = (
    ("apart", (2, 3), (4, 6, 8), (2, 2, 2), (2, 2, 2), (0, 0, 0), False, True, 0, "quick", ("layout",)),
    ("overlap", (2, 3), (4, 5, 6), (3, 3, 3), (1, 1, 1), (1, 1, 1), False, True, 0, "quick", ("accumulation",)),
    ("uncounted", (2, 3), (4, 5, 7), (2, 3, 4), (1, 2, 1), (1, 1, 2), False, False, 0, "quick", ("border",)),
    ("ceil", (2, 3), (5, 6, 7), (2, 3, 2), (2, 2, 3), (0, 0, 0), True, True, 0, "quick", ("border",)),
    ("divisor", (2, 3), (5, 6, 7), (2, 3, 4), (1, 2, 3), (0, 1, 1), False, True, 7, "quick", ("accumulation",)),
    ("4d", (3,), (4, 5, 6), (2, 3, 2), (2, 1, 2), (1, 1, 0), False, True, 0, "quick", ("layout",)),
    ("ceil-padded", (2, 3), (5, 6, 7), (3, 2, 3), (2, 2, 2), (1, 1, 1), True, True, 0, "default", ("border",)),
    ("ceil-uncounted", (2, 3), (5, 6, 7), (3, 2, 3), (2, 2, 2), (1, 1, 1), True, False, 0, "default", ("border",)),
    ("powers", (2, 3), (4, 8, 16), (2, 2, 4), (1, 2, 2), (0, 0, 0), False, True, 0, "default", ("index rule",)),
    ("divisor-powers", (2, 3), (4, 5, 6), (2, 3, 3), (2, 1, 2), (1, 1, 1), True, False, 16, "default", ("rounding",)),
    ("last-in-padding", (2, 3), (4, 3, 5), (2, 2, 4), (3, 3, 3), (1, 1, 2), True, True, 0, "default", ("border",)),
    ("last-uncounted", (2, 3), (4, 3, 5), (2, 2, 4), (3, 3, 3), (1, 1, 2), True, False, 0, "default", ("border",)),
    ("gaps", (2, 3), (5, 7, 9), (1, 2, 2), (2, 3, 4), (0, 0, 0), False, True, 0, "default", ("initialisation",)),
    ("long", (2, 3), (7, 9, 11), (2, 5, 7), (1, 2, 3), (1, 2, 3), False, True, 0, "default", ("accumulation",)),
    ("whole", (2, 3), (3, 9, 10), (3, 9, 10), (1, 1, 1), (0, 0, 0), False, True, 0, "default", ("accumulation",)),
    ("cells300", (2, 3), (3, 10, 11), (2, 2, 3), (1, 2, 2), (0, 1, 1), False, True, 0, "default", ("tiling",)),
    ("cells2100", (2, 3), (3, 27, 28), (3, 3, 2), (2, 2, 2), (1, 1, 1), False, True, 0, "default", ("tiling",)),
    ("tail17", (2, 3), (2, 9, 33), (1, 3, 3), (1, 2, 2), (0, 1, 1), False, False, 0, "default", ("tiling",)),
    ("tail72", (1, 2), (2, 3, 143), (1, 2, 3), (1, 1, 2), (0, 0, 1), False, True, 0, "default", ("tiling",)),
    ("deep18", (1, 2), (19, 4, 5), (2, 2, 3), (1, 2, 2), (0, 1, 1), False, True, 0, "default", ("tiling",)),
    ("tall66", (1, 2), (1, 131, 3), (1, 3, 2), (1, 2, 1), (0, 1, 0), False, True, 0, "default", ("tiling",)),
    ("wide1500", (1, 2), (1, 2, 1500), (1, 2, 3), (1, 1, 1), (0, 0, 1), False, True, 0, "default", ("tiling",)),
    ("batches", (3, 33), (2, 3, 5), (1, 2, 2), (1, 1, 2), (0, 0, 1), False, True, 0, "default", ("layout", "tiling")),
    ("cells66k", (1, 2), (5, 109, 127), (3, 4, 4), (3, 4, 4), (0, 0, 0), False, True, 0, "default", ("tiling",)),
)
_ONE_FILL = ("deep18", "tall66", "wide1500", "batches", "cells66k", "tail72", "cells2100")
_LAST = ("uncounted", "ceil-padded", "overlap")  # rows that are run with channels last too


def geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    if not takes_windows(spec):
        return tuple(_as_sums(spec, row) for row in pool.adaptive_geometries(spec))
    rows = [_geometry(spec, *row) for row in _ROWS]
    last = [
        channels_last(row, order, "default") for order in spec.data_formats[1:] for row in rows if row.name in _LAST
    ]
    two, none = (1, 2, 2), (0, 0, 0)
    tiles = [
        _geometry(spec, name, batch, plane, two, step, none, False, True, 0, "full", ("tiling",))
        for name, batch, plane, step in pool.tiles()
    ]
    return (*rows, *last, *tiles)


def _as_sums(spec: OpSpec, geometry: Geometry) -> Geometry:
    """Of a maximum nothing is added, of an average the cells of a window are."""
    return geometry if spec.is_gradient else replace(geometry, spans=pool.extents(spec, geometry))


def _geometry(
    spec: OpSpec,
    name: str,
    batch: tuple[int, ...],
    plane: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int,
    level: Level,
    finds: tuple[str, ...],
) -> Geometry:
    axes = len(spec.axes)
    cells, kernels, strides, paddings = cut(spec, plane, name), kernel[-axes:], stride[-axes:], padding[-axes:]
    each = list(zip(cells, kernels, strides, paddings, strict=True))
    pooled = tuple(window_count(n, k, s, p, 1, ceil_mode) for n, k, s, p in each)
    spans = []
    for (n, k, s, p), count in zip(each, pooled, strict=True):
        begins = np.arange(count) * s - p
        ends = np.stack((np.maximum(begins, 0), np.minimum(begins + k, n)))
        spans.append(covering(ends, n) if spec.is_gradient else int((ends[1] - ends[0]).max(initial=1)))
    window = {"kernel_size": kernels, "stride": strides, "padding": paddings}
    return Geometry(
        name=f"{axes + 1}d" if name == "4d" else name,
        batch=batch,
        source=pooled if spec.is_gradient else cells,
        result=cells if spec.is_gradient else pooled,
        spans=tuple(spans),
        parameters={
            **{window_argument(spec, key): value for key, value in window.items()},
            "ceil_mode": ceil_mode,
            "count_include_pad": count_include_pad,
            "divisor_override": divisor,
        },
        level=level,
        finds=finds,
        one_fill=name in _ONE_FILL,
    )


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    if not takes_windows(spec):
        return _as_sums(spec, pool.adaptive_described(spec, entry, name, where))
    axes = len(spec.axes)
    known_keys(entry, ("input_size", *_KEYS, "format"), where)
    data_format = format_of(spec, entry, where)
    size = sizes(entry, "input_size", (axes + 2,) if data_format else (axes + 1, axes + 2), where)
    kernel = per_axis(entry, "kernel_size", axes, None, where)
    stride = per_axis(entry, "stride", axes, kernel, where)
    padding = per_axis(entry, "padding", axes, 0, where)
    switches = [entry.get("ceil_mode", False), entry.get("count_include_pad", True)]
    divisor = entry.get("divisor_override") or 0
    for key, value in zip(("ceil_mode", "count_include_pad"), switches, strict=True):
        if not isinstance(value, bool):
            raise ValueError(f"{where}: {key} is {short(value)}; expected true or false")
    if not isinstance(divisor, int) or isinstance(divisor, bool) or abs(divisor) >= 2**31:
        raise ValueError(f"{where}: divisor_override is {short(divisor)}; expected a whole number of at most 31 bits")
    each = zip(size[-axes:], kernel, stride, padding, strict=True)
    if min(window_count(n, k, s, p, 1, switches[0]) for n, k, s, p in each) < 1:
        raise ValueError(f"{where}: no window fits: {size[-axes:]} with windows of {kernel}")
    geometry = _geometry(
        spec,
        name,
        size[:-axes],
        size[-axes:],
        kernel,
        stride,
        padding,
        switches[0],
        switches[1],
        divisor,
        "default",
        (),
    )
    return replace(geometry, data_format=data_format)


def entry_of(spec: OpSpec, shapes: Mapping[str, tuple[int, ...]], arguments: Mapping[str, Any]) -> dict[str, Any]:
    if not takes_windows(spec):
        return pool.adaptive_entry_of(spec, shapes, arguments)
    names = {key: window_argument(spec, key) for key in _KEYS}
    given = {key: arguments[name] for key, name in names.items() if arguments.get(name) not in (None, ())}
    data_format = arguments.get("data_format", "")
    last = {"format": data_format} if data_format else {}
    return {"input_size": sizes_first(shapes["input"], data_format), **given, **last}


def draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    if not takes_windows(spec):
        return pool.adaptive_draw(draw, spec)
    entry = pool.draw(draw, spec)
    reach = zip(entry["kernel_size"], entry.pop("dilation"), strict=True)
    entry["kernel_size"] = [max(1, (k - 1) * d + 1) for k, d in reach]
    entry["count_include_pad"] = draw(st.booleans())
    entry["divisor_override"] = draw(st.sampled_from((0, 0, 1, 3, 4)))
    return entry


def fills(spec: OpSpec, dtype: str) -> tuple[str, ...]:
    rounding = () if dtype in ("float32", "float64") else ("rounding",)  # those round on the way, too
    return ("coded", "signed", "real", "special", *rounding)


def companions(making: Making) -> dict[str, Array]:
    """The input of the forward pass, whose values nobody needs."""
    shape = (*making.batch, *making.geometry.result)
    others = [one for one in making.spec.inputs if one.kind == "tensor" and one.holds == "shape"]
    return {one.python_name: unread(making, making.stream(one.python_name), shape) for one in others}


FAMILY = Family(
    geometries=geometries,
    arguments=lambda spec, geometry, batch: dict(geometry.parameters),
    described=described,
    entry=entry_of,
    draw=draw,
    fills=fills,
    flowing=values,
    companions=companions,
    by_axes=True,
    torch_name="torch.nn.functional.avg_pool{axes}d",
)
