"""Linear and cubic resampling, also anti-aliased, and the gradients: sizes, scales and corners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acltwin.golden.cases import average, upsample
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.family import Geometry, Row, block_rows, oriented, scale_names, switch, with_channels_last
from acltwin.golden.cases.resampling import Resampling
from acltwin.golden.cases.weights import documented_weights, resampling
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

_ROWS = (
    Row("factor2", (2, 3, 4), (4, 6, 8), "quick", ("layout", "index rule")),
    Row("frac-up", (3, 4, 5), (5, 7, 8), "quick", ("index rule", "border")),
    Row("down", (5, 7, 9), (3, 4, 5), "quick", ("index rule", "accumulation")),
    Row("corners", (3, 4, 5), (5, 7, 8), "quick", ("index rule", "border"), align=True),
    Row("scales", (3, 4, 5), (6, 6, 9), "quick", ("index rule",), scales=(2.0, 1.5, 1.8)),
    Row("strong-down", (6, 12, 17), (2, 3, 4), "quick", ("accumulation",)),
    Row("tail17", (2, 3, 17), (3, 4, 33), "quick", ("tiling",)),
    Row("corners-down", (5, 7, 9), (3, 4, 5), finds=("index rule",), align=True),
    Row("corners-exact", (2, 3, 5), (3, 5, 9), finds=("index rule",), align=True),
    Row("corners-one", (3, 4, 5), (1, 1, 1), finds=("border",), align=True, one_fill=True),
    Row("corners-scales", (3, 4, 5), (6, 6, 9), finds=("index rule",), scales=(2.0, 1.5, 1.8), align=True),
    Row("halved", (4, 6, 8), (2, 3, 4), finds=("index rule",)),
    Row("factor4", (2, 2, 3), (8, 8, 12), finds=("index rule",), one_fill=True),
    Row("equal", (3, 4, 5), (3, 4, 5), finds=("index rule",), one_fill=True),
    Row("equal-scaled", (3, 4, 9), (3, 5, 9), finds=("index rule",), scales=(1.3, 1.25, 1.02)),
    Row("all-equal-scaled", (3, 4, 5), (3, 4, 5), finds=("index rule",), scales=(1.3, 1.25, 1.2)),
    Row("mixed", (4, 7, 3), (9, 5, 3), finds=("index rule", "layout")),
    Row("one", (1, 1, 1), (3, 4, 5), finds=("border",), one_fill=True),
    Row("to-one", (3, 4, 5), (1, 1, 1), finds=("border",), one_fill=True),
    Row("two", (2, 2, 2), (5, 7, 3), finds=("border",), one_fill=True),
    Row("scales-w0", (3, 4, 5), (4, 6, 8), finds=("index rule",), scales=(1.5, 1.6, 0.0)),
    Row("scales-h0", (3, 5, 4), (4, 8, 6), finds=("index rule",), scales=(1.5, 0.0, 1.5)),
    Row("misfit", (2, 3, 4), (6, 9, 11), finds=("index rule", "border"), scales=(2.0, 2.0, 2.0)),
    Row("scales-down", (6, 8, 9), (3, 4, 6), finds=("index rule",), scales=(0.5, 0.6, 0.7)),
    Row("tail9", (1, 33, 9), (2, 41, 17), finds=("tiling",), one_fill=True),
    Row("cells300", (1, 2, 150), (1, 3, 300), finds=("tiling", "index rule"), one_fill=True),
    Row("cells2100", (2, 23, 23), (3, 26, 27), finds=("tiling",), one_fill=True),
    Row("factor50", (1, 2, 2), (1, 3, 100), finds=("accumulation", "rounding"), one_fill=True),
    Row("factor300", (1, 1, 2), (1, 2, 600), finds=("accumulation",), one_fill=True),
    Row("batches", (1, 2, 3), (2, 3, 5), finds=("layout", "tiling"), batch=(3, 33), one_fill=True),
    Row("tall67", (1, 67, 2), (1, 131, 3), finds=("tiling",), one_fill=True),
    Row("wide1500", (1, 1, 1100), (1, 2, 1500), finds=("tiling", "index rule"), batch=(1, 2), one_fill=True),
    Row("cells66k", (1, 190, 200), (1, 261, 254), finds=("tiling", "index rule"), batch=(1, 2), one_fill=True),
)
_LAST = ("frac-up", "down", "misfit")  # rows that are run with channels last too
_LIMITS = ("factor_limit", "shrink_limit", "line_factor_limit")  # rules that refuse large factors


def geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    left_out = {"factor300"} if any(rule.id in _LIMITS for rule in spec.rules) else set()
    if len(spec.axes) == 1:
        left_out.add("cells66k")  # a plane of one axis is a line
    made = (_geometry(spec, row) for row in _ROWS if row.name not in left_out)
    rows = [geometry for geometry in made if _is_defined(spec, geometry)]
    return (*rows, *with_channels_last(spec, rows, _LAST), *(_geometry(spec, row) for row in block_rows()))


def _is_defined(spec: OpSpec, geometry: Geometry) -> bool:
    """Whether every cell takes some; an anti-aliased one far beyond the end, where a scale leads it, takes none."""
    source, result = geometry.source, geometry.result
    tables = documented_weights(spec, geometry.parameters, source, result, "float32").tables(source, result)
    return all(table.weights.any(0 if spec.is_gradient else 1).all() for table in tables)


def _geometry(spec: OpSpec, row: Row) -> Geometry:
    own = upsample.along_axes(spec, row)
    parameters = {"align_corners": row.align, **dict(zip(scale_names(spec), own.scales, strict=True))}
    made = oriented(spec, own, (1,) * len(spec.axes), parameters)
    tables = documented_weights(spec, parameters, made.source, made.result, "float32").tables(made.source, made.result)
    return replace(made, spans=tuple(max(1, int(table.reached.sum(1).max())) for table in tables))


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    align = switch(entry, "align_corners", False, where)
    plain = {key: value for key, value in entry.items() if key != "align_corners"}
    row, data_format = upsample.row_of(spec, plain, name, where, ("align_corners",))
    geometry = _geometry(spec, replace(row, align=align))
    if not _is_defined(spec, geometry):
        raise ValueError(f"{where}: scales {short(row.scales)} lead beyond the input, where no cell is near enough")
    return replace(geometry, data_format=data_format)


def entry_of(spec: OpSpec, shapes: Mapping[str, tuple[int, ...]], arguments: Mapping[str, Any]) -> dict[str, Any]:
    align = bool(arguments.get("align_corners", False))
    return {**upsample.entry_of(spec, shapes, arguments), "align_corners": align}


def draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    entry = {**upsample.draw(draw, spec), "align_corners": draw(st.booleans())}
    rule = documented_weights(spec, {}, (1,), (1,), "float32")
    assert isinstance(rule, Resampling)
    return {**entry, "scales": [0.0] * len(spec.axes)} if rule.antialias else entry  # odd ones lead beyond the input


FAMILY = replace(
    upsample.FAMILY,
    geometries=geometries,
    described=described,
    entry=entry_of,
    draw=draw,
    fills=average.fills,
    weights=resampling,
)
