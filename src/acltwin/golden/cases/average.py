"""Average pooling, over windows of one size and to a given size, and the gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acltwin.golden.cases import pooling
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import Family, Geometry, switch, takes_windows
from acltwin.golden.cases.fills import Making, unread, values
from acltwin.golden.cases.pooling import ONE, Windows, rows_named
from acltwin.golden.cases.weights import averaging, window_argument
from acltwin.golden.cases.windows import covering
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

_KEYS = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override")
_ROWS = (
    *rows_named("apart", "overlap"),
    Windows(
        "uncounted", (2, 3), (4, 5, 7), (2, 3, 4), (1, 2, 1), (1, 1, 2), counted=False, level="quick", finds=("border",)
    ),
    *rows_named("ceil"),
    Windows(
        "divisor", (2, 3), (5, 6, 7), (2, 3, 4), (1, 2, 3), (0, 1, 1), divisor=7, level="quick", finds=("accumulation",)
    ),
    *rows_named("4d", "ceil-padded"),
    *(replace(row, name="ceil-uncounted", counted=False) for row in rows_named("ceil-padded")),
    Windows("powers", (2, 3), (4, 8, 16), (2, 2, 4), (1, 2, 2), finds=("index rule",)),
    Windows(
        "divisor-powers", (2, 3), (4, 5, 6), (2, 3, 3), (2, 1, 2), ONE, (), ONE, True, False, 16, finds=("rounding",)
    ),
    *rows_named("last-in-padding"),
    *(replace(row, name="last-uncounted", counted=False) for row in rows_named("last-in-padding")),
    *rows_named("gaps"),
    Windows("long", (2, 3), (7, 9, 11), (2, 5, 7), (1, 2, 3), (1, 2, 3), finds=("accumulation",)),
    Windows("whole", (2, 3), (3, 9, 10), (3, 9, 10), (1, 1, 1), finds=("accumulation",)),
    *(replace(row, finds=("tiling",)) for row in rows_named("cells300", "cells2100")),
    *(replace(row, counted=False) for row in rows_named("tail17")),
    *rows_named("tail72", "deep18", "tall66", "wide1500", "batches"),
    *(replace(row, finds=("tiling",)) for row in rows_named("cells66k")),
)
_ONE_FILL = ("deep18", "tall66", "wide1500", "batches", "cells66k", "tail72", "cells2100")
_LAST = ("uncounted", "ceil-padded", "overlap")  # rows that are run with channels last too


def geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    if takes_windows(spec):
        return pooling.geometries(spec, _ROWS, lambda spec, row: _geometry(spec, row.along(spec)), _LAST)
    return tuple(_as_sums(spec, row) for row in pooling.shared_geometries(spec))


def _as_sums(spec: OpSpec, geometry: Geometry) -> Geometry:
    """Of a maximum nothing is added, of an average the cells of a window are."""
    return geometry if spec.is_gradient else replace(geometry, spans=pooling.shared_extents(spec, geometry))


def _geometry(spec: OpSpec, windows: Windows) -> Geometry:
    spans = []
    each = zip(windows.plane, windows.kernel, windows.stride, windows.padding, windows.counts, strict=True)
    for n, k, s, p, count in each:
        begins = np.arange(count) * s - p
        ends = np.stack((np.maximum(begins, 0), np.minimum(begins + k, n)))
        spans.append(covering(ends, n) if spec.is_gradient else int((ends[1] - ends[0]).max(initial=1)))
    given = (windows.kernel, windows.stride, windows.padding, windows.ceil, windows.counted, windows.divisor)
    parameters = {window_argument(spec, key): value for key, value in zip(_KEYS, given, strict=True)}
    return pooling.geometry(spec, windows, tuple(spans), parameters, _ONE_FILL)


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    if not takes_windows(spec):
        return _as_sums(spec, pooling.shared_described(spec, entry, name, where))
    windows, data_format = pooling.read_windows(spec, entry, _KEYS, name, where)
    counted = switch(entry, "count_include_pad", True, where)
    divisor = entry.get("divisor_override") or 0
    if not isinstance(divisor, int) or isinstance(divisor, bool) or abs(divisor) >= 2**31:
        raise ValueError(f"{where}: divisor_override is {short(divisor)}; expected a whole number of at most 31 bits")
    if min(windows.counts) < 1:
        raise ValueError(f"{where}: no window fits: {windows.plane} with windows of {windows.kernel}")
    return replace(_geometry(spec, replace(windows, counted=counted, divisor=divisor)), data_format=data_format)


def entry_of(spec: OpSpec, shapes: Mapping[str, tuple[int, ...]], arguments: Mapping[str, Any]) -> dict[str, Any]:
    if not takes_windows(spec):
        return pooling.shared_entry(spec, shapes, arguments)
    names = {key: window_argument(spec, key) for key in _KEYS}
    given = {key: arguments[name] for key, name in names.items() if arguments.get(name) not in (None, ())}
    return {**pooling.cells_of(shapes, arguments), **given}


def draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    if not takes_windows(spec):
        return pooling.shared_draw(draw, spec)
    entry = pooling.draw_windows(draw, spec)
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
    weights=averaging,
    torch_name="torch.nn.functional.avg_pool{axes}d",
)
