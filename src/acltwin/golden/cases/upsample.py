"""Upsampling and its gradient: sizes and scales.

The list was found by search: each row is there because some wrong implementation agrees with the right one on all the
others. Sizes are written for three axes; two-dimensional operators take the last two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from acltwin.golden.cases import family
from acltwin.golden.cases.dtypes import sizes_first, sizes_in
from acltwin.golden.cases.family import Family, Geometry, Row, block_rows, oriented, scale_names, with_channels_last
from acltwin.golden.cases.fills import values
from acltwin.ops.spec import OpSpec
from acltwin.reference import interval_table
from acltwin.reference.source_table import MapRule

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

_BORDER = 1.5 + 2.0**-16

_ROWS = (
    Row("factor2", (2, 3, 4), (4, 6, 8), "quick", ("layout", "accumulation")),
    Row("frac-up", (3, 4, 5), (5, 7, 8), "quick", ("index rule", "border")),
    Row("down", (5, 7, 9), (3, 4, 5), "quick", ("index rule", "initialisation")),
    Row("equal", (3, 4, 5), (3, 4, 5), finds=("index rule",)),
    Row("equal-scaled", (3, 4, 33), (3, 5, 33), finds=("index rule",), scales=(0.0, 1.25, 1.02)),
    Row("mixed", (4, 7, 3), (9, 5, 3), finds=("index rule", "layout")),
    Row("tail17", (2, 3, 17), (3, 4, 33), "quick", ("tiling",)),
    Row("tail9", (1, 33, 9), (2, 41, 17), finds=("tiling",)),
    Row("cells300", (1, 2, 150), (1, 3, 300), finds=("tiling", "index rule")),
    Row("cells2100", (2, 23, 23), (3, 26, 27), finds=("tiling",)),
    Row("cells4096", (1, 20, 110), (1, 32, 130), finds=("tiling", "index rule")),
    Row("factor50", (1, 2, 2), (1, 3, 100), "quick", ("accumulation", "rounding")),
    Row("factor7", (1, 2, 1), (7, 14, 7), finds=("accumulation", "rounding")),
    Row("one", (1, 1, 1), (1, 1, 1), finds=("border",)),
    Row("scales", (3, 4, 5), (6, 6, 9), "quick", ("index rule",), scales=(2.0, 1.5, 1.8)),
    Row("scales-w0", (3, 4, 5), (5, 7, 8), finds=("index rule",), scales=(1.5, 1.6, 0.0)),
    Row("scales-h0", (3, 5, 4), (5, 8, 7), "quick", ("index rule",), scales=(1.5, 0.0, 1.5)),
    Row("dropped", (2, 3, 4), (6, 9, 11), "quick", ("border",), scales=(2.0, 2.0, 2.0)),
    Row("scales-down", (6, 8, 9), (3, 5, 6), finds=("index rule", "initialisation"), scales=(0.5, 0.6, 0.7)),
    Row("scales-border", (2, 4, 6), (3, 6, 9), finds=("border",), scales=(_BORDER, _BORDER, _BORDER)),
    Row("border-26-14", (1, 2, 26), (1, 41, 14), finds=("border",)),
    Row("border-22-50", (1, 14, 22), (1, 58, 50), finds=("border",)),
    Row("border-14-29", (1, 22, 14), (1, 25, 29), finds=("border",)),
    Row("border-18-39", (1, 14, 18), (1, 71, 39), finds=("border",)),
    Row("border-2-82", (1, 6, 2), (1, 26, 82), finds=("border",)),
    Row("border-20-96", (1, 6, 20), (1, 50, 96), finds=("border",)),
    Row("border-6-1", (6, 12, 18), (1, 2, 3), finds=("border",)),
    Row("border-given", (2, 26, 26), (2, 31, 28), finds=("border",), scales=(1.2, 1.2, 1.1)),
    Row(
        "scales-fine",
        (9, 31, 45),
        (12, 43, 73),
        finds=("index rule", "border"),
        scales=(1.3371, 1.4142, 1.6243),
        one_fill=True,
    ),
    Row("border-6-50", (1, 3, 6), (1, 4, 50), finds=("border",), one_fill=True),  # 1 / (in / out) is not out / in
    Row("all-equal-scaled", (3, 4, 5), (3, 4, 5), finds=("index rule",), scales=(1.3, 1.25, 1.2), one_fill=True),
    Row("batches", (1, 2, 3), (2, 3, 5), finds=("layout", "tiling"), batch=(3, 33), one_fill=True),
    Row("tall67", (1, 67, 2), (1, 131, 3), finds=("tiling",), one_fill=True),
    Row("wide1500", (1, 1, 1100), (1, 2, 1500), finds=("tiling", "border"), batch=(1, 2), one_fill=True),
    Row("factor300", (1, 1, 2), (1, 2, 600), finds=("accumulation",)),
    Row("cells66k", (1, 190, 200), (1, 261, 254), finds=("tiling", "index rule"), batch=(1, 2), one_fill=True),
)
_LAST = ("frac-up", "down", "dropped")  # rows that are run with channels last too


def geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    left_out = {"factor300"} if spec.is_exact else set()  # its factor is 50 at most
    if len(spec.axes) == 1:
        left_out.add("cells66k")  # a plane of one axis is a line
    rows = [_geometry(spec, row) for row in _ROWS if row.name not in left_out]
    tiles = [_geometry(spec, row) for row in block_rows()]
    others = [row.name for row in (*rows, *tiles) if row.name not in _LAST]
    last, full = with_channels_last(spec, rows, _LAST), with_channels_last(spec, [*rows, *tiles], others, "full")
    return (*rows, *last, *tiles, *full)


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    row, data_format = row_of(spec, entry, name, where)
    return replace(_geometry(spec, row), data_format=data_format)


def row_of(
    spec: OpSpec, entry: Mapping[str, Any], name: str, where: str, more: tuple[str, ...] = ()
) -> tuple[Row, str]:
    """What an entry says of sizes and scales, and its format; ``more``: keys that somebody else has read."""
    axes = len(spec.axes)
    family.known_keys(entry, ("input_size", "output_size", "scales", *more, "format"), where)
    inner = family.sizes(entry, "input_size", (axes, axes + 2), where)
    outer = family.sizes(entry, "output_size", (axes,), where)
    scales = family.numbers_per_axis(entry, "scales", axes, where)
    row = Row(name, inner[-axes:], outer, batch=inner[:-axes] or (1, 1), scales=scales)
    return row, family.format_of(spec, entry, where)


def fills(spec: OpSpec, dtype: str) -> tuple[str, ...]:
    if not spec.is_gradient:
        return ("coded", "special")
    single = dtype in ("float32", "float64")  # their sums round on the way, so "one rounding" says nothing of them
    return ("coded", "signed", "real", "special") if single else ("coded", "signed", "rounding", "real", "special")


def arguments(spec: OpSpec, geometry: Geometry, batch: tuple[int, ...]) -> dict[str, object]:
    inner, outer = (geometry.result, geometry.source) if spec.is_gradient else (geometry.source, geometry.result)
    whole = sizes_in(geometry.data_format if spec.input_size_follows_format else "", (*batch, *inner))
    lists: dict[str, object] = {}
    for argument in spec.inputs:
        if argument.kind == "int_array":
            lists[argument.python_name] = whole if argument.begins_with_batch else outer
    return {**lists, **geometry.parameters}


def entry_of(spec: OpSpec, shapes: Mapping[str, tuple[int, ...]], arguments: Mapping[str, Any]) -> dict[str, Any]:
    data_format = arguments.get("data_format", spec.data_formats[0])
    whole = next((argument for argument in spec.inputs if argument.begins_with_batch), None)
    if whole is None:
        inner = sizes_first(shapes[family.flowing_name(spec)], data_format)
    else:
        inner = sizes_first(arguments[whole.python_name], size_order(spec, data_format))
    return {
        "input_size": tuple(inner),
        "output_size": arguments["output_size"],
        "scales": list(scales_of(spec, arguments)),
        "format": data_format,
    }


def size_order(spec: OpSpec, data_format: str) -> str:
    """The format whose order the sizes of an argument like inputSize have."""
    return data_format if spec.input_size_follows_format else ""


def draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    axes = len(spec.axes)
    scale = st.one_of(st.just(0.0), st.floats(0.25, 4.0, width=32))
    batch = [draw(st.integers(1, 2)), draw(st.integers(1, 3))]
    return {
        "input_size": [*batch, *(draw(st.integers(1, 12)) for _ in range(axes))],
        "output_size": [draw(st.integers(1, 24)) for _ in range(axes)],
        "scales": [draw(scale) for _ in range(axes)],
        "format": draw(st.sampled_from(spec.data_formats)),
    }


def scales_of(spec: OpSpec, arguments: Mapping[str, Any]) -> tuple[float, ...]:
    """The scales of a call, one per axis."""
    return tuple(float(arguments.get(name) or 0.0) for name in scale_names(spec))


def _geometry(spec: OpSpec, row: Row) -> Geometry:
    own = along_axes(spec, row)
    spans = _spans(spec, own.small, own.large, own.scales) if spec.is_gradient else (1,) * len(spec.axes)
    return oriented(spec, own, spans, dict(zip(scale_names(spec), own.scales, strict=True)))


def along_axes(spec: OpSpec, row: Row) -> Row:
    axes = len(spec.axes)
    return replace(row, small=row.small[-axes:], large=row.large[-axes:], scales=row.scales[-axes:])


def _spans(spec: OpSpec, inner: Sequence[int], outer: Sequence[int], scales: Sequence[float]) -> tuple[int, ...]:
    """The longest interval of each axis by either map rule, with the scale or without: never too short."""
    spans = []
    for small, large, scale in zip(inner, outer, scales, strict=True):
        choices = product({scale, 0.0}, get_args(MapRule))
        tables = [interval_table(small, large, choice, spec.is_exact, rule) for choice, rule in choices]
        spans.append(max(1, *(int(np.diff(table).max()) for table in tables)))
    return tuple(spans)


FAMILY = Family(
    geometries=geometries,
    arguments=arguments,
    described=described,
    entry=entry_of,
    draw=draw,
    fills=fills,
    flowing=values,
    companions=lambda making: {},
    by_axes=True,
    torch_name="torch.nn.functional.interpolate",
)
