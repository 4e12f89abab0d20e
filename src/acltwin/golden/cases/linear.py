"""Linear and cubic resampling, also anti-aliased, and the gradients: sizes, scales and corners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acltwin.golden.cases import average, upsample
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.family import Geometry, Level, block_sides, oriented, scale_names, switch, with_channels_last
from acltwin.golden.cases.resampling import Resampling
from acltwin.golden.cases.weights import documented_weights, resampling
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

Sizes = tuple[int, int, int]
Scales = tuple[float, float, float]
_NONE: Scales = (0.0, 0.0, 0.0)

# name, input side, output side, scales, whether corners lie on each other, lowest level, what it finds
_ROWS: tuple[tuple[str, Sizes, Sizes, Scales, bool, Level, tuple[str, ...]], ...] = (
    ("factor2", (2, 3, 4), (4, 6, 8), _NONE, False, "quick", ("layout", "index rule")),
    ("frac-up", (3, 4, 5), (5, 7, 8), _NONE, False, "quick", ("index rule", "border")),
    ("down", (5, 7, 9), (3, 4, 5), _NONE, False, "quick", ("index rule", "accumulation")),
    ("corners", (3, 4, 5), (5, 7, 8), _NONE, True, "quick", ("index rule", "border")),
    ("scales", (3, 4, 5), (6, 6, 9), (2.0, 1.5, 1.8), False, "quick", ("index rule",)),
    ("strong-down", (6, 12, 17), (2, 3, 4), _NONE, False, "quick", ("accumulation",)),
    ("tail17", (2, 3, 17), (3, 4, 33), _NONE, False, "quick", ("tiling",)),
    ("corners-down", (5, 7, 9), (3, 4, 5), _NONE, True, "default", ("index rule",)),
    ("corners-exact", (2, 3, 5), (3, 5, 9), _NONE, True, "default", ("index rule",)),
    ("corners-one", (3, 4, 5), (1, 1, 1), _NONE, True, "default", ("border",)),
    ("corners-scales", (3, 4, 5), (6, 6, 9), (2.0, 1.5, 1.8), True, "default", ("index rule",)),
    ("halved", (4, 6, 8), (2, 3, 4), _NONE, False, "default", ("index rule",)),
    ("factor4", (2, 2, 3), (8, 8, 12), _NONE, False, "default", ("index rule",)),
    ("equal", (3, 4, 5), (3, 4, 5), _NONE, False, "default", ("index rule",)),
    ("equal-scaled", (3, 4, 9), (3, 5, 9), (1.3, 1.25, 1.02), False, "default", ("index rule",)),
    ("all-equal-scaled", (3, 4, 5), (3, 4, 5), (1.3, 1.25, 1.2), False, "default", ("index rule",)),
    ("mixed", (4, 7, 3), (9, 5, 3), _NONE, False, "default", ("index rule", "layout")),
    ("one", (1, 1, 1), (3, 4, 5), _NONE, False, "default", ("border",)),
    ("to-one", (3, 4, 5), (1, 1, 1), _NONE, False, "default", ("border",)),
    ("two", (2, 2, 2), (5, 7, 3), _NONE, False, "default", ("border",)),
    ("scales-w0", (3, 4, 5), (4, 6, 8), (1.5, 1.6, 0.0), False, "default", ("index rule",)),
    ("scales-h0", (3, 5, 4), (4, 8, 6), (1.5, 0.0, 1.5), False, "default", ("index rule",)),
    ("misfit", (2, 3, 4), (6, 9, 11), (2.0, 2.0, 2.0), False, "default", ("index rule", "border")),
    ("scales-down", (6, 8, 9), (3, 4, 6), (0.5, 0.6, 0.7), False, "default", ("index rule",)),
    ("tail9", (1, 33, 9), (2, 41, 17), _NONE, False, "default", ("tiling",)),
    ("cells300", (1, 2, 150), (1, 3, 300), _NONE, False, "default", ("tiling", "index rule")),
    ("cells2100", (2, 23, 23), (3, 26, 27), _NONE, False, "default", ("tiling",)),
    ("factor50", (1, 2, 2), (1, 3, 100), _NONE, False, "default", ("accumulation", "rounding")),
    ("factor300", (1, 1, 2), (1, 2, 600), _NONE, False, "default", ("accumulation",)),
    ("batches", (1, 2, 3), (2, 3, 5), _NONE, False, "default", ("layout", "tiling")),
    ("tall67", (1, 67, 2), (1, 131, 3), _NONE, False, "default", ("tiling",)),
    ("wide1500", (1, 1, 1100), (1, 2, 1500), _NONE, False, "default", ("tiling", "index rule")),
    ("cells66k", (1, 190, 200), (1, 261, 254), _NONE, False, "default", ("tiling", "index rule")),
)
_ONE_FILL = (
    *("cells300", "cells2100", "factor50", "factor300", "batches", "tall67", "wide1500", "cells66k", "tail9"),
    *("corners-one", "one", "to-one", "two", "equal", "factor4"),
)
_LAST = ("frac-up", "down", "misfit")  # rows that are run with channels last too
_LIMITS = ("factor_limit", "shrink_limit", "line_factor_limit")  # rules that refuse large factors


def geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    left_out = {"factor300"} if any(rule.id in _LIMITS for rule in spec.rules) else set()
    if len(spec.axes) == 1:
        left_out.add("cells66k")  # a plane of one axis is a line
    rows = [row for row in (_geometry(spec, *row) for row in _ROWS if row[0] not in left_out) if _is_defined(spec, row)]
    tiles = (
        replace(_geometry(spec, name, inner, outer, _NONE, False, "full", ("tiling",)), batch=batch)
        for name, batch, inner, outer in block_sides()
    )
    return (*rows, *with_channels_last(spec, rows, _LAST), *tiles)


def _is_defined(spec: OpSpec, geometry: Geometry) -> bool:
    """Whether every cell takes some; an anti-aliased one far beyond the end, where a scale leads it, takes none."""
    source, result = geometry.source, geometry.result
    tables = documented_weights(spec, geometry.parameters, source, result, "float32").tables(source, result)
    return all(table.weights.any(0 if spec.is_gradient else 1).all() for table in tables)


def _geometry(
    spec: OpSpec,
    name: str,
    inner: Sequence[int],
    outer: Sequence[int],
    scales: Sequence[float],
    align: bool,
    level: Level,
    finds: tuple[str, ...],
) -> Geometry:
    axes = len(spec.axes)
    small, large = tuple(inner[-axes:]), tuple(outer[-axes:])
    parameters = {"align_corners": align, **dict(zip(scale_names(spec), scales[-axes:], strict=True))}
    batch, one_fill = upsample.batch_of(name), name in _ONE_FILL
    made = oriented(spec, name, batch, small, large, (1,) * axes, parameters, level, finds, one_fill)
    tables = documented_weights(spec, parameters, made.source, made.result, "float32").tables(made.source, made.result)
    return replace(made, spans=tuple(max(1, int(table.reached.sum(1).max())) for table in tables))


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    align = switch(entry, "align_corners", False, where)
    plain = {key: value for key, value in entry.items() if key != "align_corners"}
    batch, inner, outer, scales, data_format = upsample.parts_of(spec, plain, where, ("align_corners",))
    geometry = _geometry(spec, name, inner, outer, scales, align, "default", ())
    if not _is_defined(spec, geometry):
        raise ValueError(f"{where}: scales {short(scales)} lead beyond the input, where no cell is near enough")
    return replace(geometry, batch=batch, data_format=data_format)


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
