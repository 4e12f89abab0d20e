"""Pooling of any kind: the geometries of windows of one size, and of windows that share a plane.

Sizes are written for three axes; operators of fewer axes take the last ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acltwin.golden.cases import family
from acltwin.golden.cases.dtypes import is_channels_last, sizes_first
from acltwin.golden.cases.family import Geometry, Level, Row, cut, oriented, sizes, with_channels_last
from acltwin.golden.cases.windows import adaptive_ends, covering, window_count
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

Sizes = tuple[int, ...]
NONE, ONE = (0, 0, 0), (1, 1, 1)
WINDOW = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


@dataclass(frozen=True)
class Windows:
    """Windows of one size over a plane."""

    name: str
    batch: Sizes
    plane: Sizes
    kernel: Sizes
    stride: Sizes
    padding: Sizes = NONE
    behind: Sizes = ()  # the padding there; empty: the same
    dilation: Sizes = ONE
    ceil: bool = False
    counted: bool = True  # whether averages count the padding
    divisor: int = 0  # of averages; 0: the number of cells
    level: Level = "default"
    finds: tuple[str, ...] = ()

    def along(self, spec: OpSpec) -> Windows:
        """Those along the operator's own axes."""
        axes = len(spec.axes)
        fields = ("kernel", "stride", "padding", "behind", "dilation")
        own = {field: getattr(self, field)[-axes:] for field in fields}
        return replace(self, plane=cut(spec, self.plane, self.name), **own)

    @property
    def counts(self) -> Sizes:
        """How many there are along each axis."""
        sides = zip(self.plane, self.kernel, self.stride, self.padding, self.dilation, strict=True)
        behind = self.behind or self.padding
        return tuple(window_count(*one, self.ceil, last) for one, last in zip(sides, behind, strict=True))

    @property
    def extents(self) -> Sizes:
        """The cells that a window spans along each axis."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))


ROWS = (
    Windows("apart", (2, 3), (4, 6, 8), (2, 2, 2), (2, 2, 2), level="quick", finds=("layout",)),
    Windows("overlap", (2, 3), (4, 5, 6), (3, 3, 3), (1, 1, 1), (1, 1, 1), level="quick", finds=("accumulation",)),
    Windows("ceil", (2, 3), (5, 6, 7), (2, 3, 2), (2, 2, 3), ceil=True, level="quick", finds=("border",)),
    Windows("ceil-padded", (2, 3), (5, 6, 7), (3, 2, 3), (2, 2, 2), (1, 1, 1), ceil=True, finds=("border",)),
    Windows("dilated", (2, 3), (7, 5, 9), (2, 3, 2), (2, 1, 2), (0, 1, 1), (), (2, 1, 3), finds=("index rule",)),
    Windows("dilated-rows", (2, 3), (3, 9, 8), (2, 3, 2), (1, 2, 1), (1, 1, 0), (), (1, 3, 2), finds=("index rule",)),
    Windows("4d", (3,), (4, 5, 6), (2, 3, 2), (2, 1, 2), (1, 1, 0), level="quick", finds=("layout",)),
    Windows("last-in-padding", (2, 3), (4, 3, 5), (2, 2, 4), (3, 3, 3), (1, 1, 2), ceil=True, finds=("border",)),
    Windows("gaps", (2, 3), (5, 7, 9), (1, 2, 2), (2, 3, 4), finds=("initialisation",)),
    Windows("cells300", (2, 3), (3, 10, 11), (2, 2, 3), (1, 2, 2), (0, 1, 1), finds=("index rule",)),
    Windows("cells2100", (2, 3), (3, 27, 28), (3, 3, 2), (2, 2, 2), (1, 1, 1), finds=("index rule",)),
    Windows("cells33k", (1, 2), (6, 73, 76), (2, 3, 3), (2, 3, 3), finds=("index rule",)),
    Windows("tail17", (2, 3), (2, 9, 33), (1, 3, 3), (1, 2, 2), (0, 1, 1), finds=("tiling",)),
    Windows("tail72", (1, 2), (2, 3, 143), (1, 2, 3), (1, 1, 2), (0, 0, 1), finds=("tiling",)),
    Windows("deep18", (1, 2), (19, 4, 5), (2, 2, 3), (1, 2, 2), (0, 1, 1), finds=("tiling",)),
    Windows("tall66", (1, 2), (1, 131, 3), (1, 3, 2), (1, 2, 1), (0, 1, 0), finds=("tiling",)),
    Windows("wide1500", (1, 2), (1, 2, 1500), (1, 2, 3), (1, 1, 1), (0, 0, 1), finds=("tiling",)),
    Windows("batches", (3, 33), (2, 3, 5), (1, 2, 2), (1, 1, 2), (0, 0, 1), finds=("layout", "tiling")),
    Windows("cells66k", (1, 2), (5, 109, 127), (3, 4, 4), (3, 4, 4), finds=("index rule",)),
)
"""Of max pooling; other kinds take what they need."""
ONE_FILL = ("deep18", "tall66", "wide1500", "batches", "cells66k")


def rows_named(*names: str) -> Iterator[Windows]:
    return (row for name in names for row in ROWS if row.name == name)


def geometries(
    spec: OpSpec, rows: Iterable[Windows], made: Callable[[OpSpec, Windows], Geometry], last: Sequence[str]
) -> tuple[Geometry, ...]:
    """Those of a table, those of them that are also run with channels last, and those around blocks of kernels."""
    two = (1, 2, 2)
    tile = Windows("", (), (), two, two, level="full", finds=("tiling",))
    tiles = (
        replace(tile, name=row.name, batch=row.batch, plane=row.large, stride=ONE if row.batch != (2, 3) else two)
        for row in family.block_rows(2, 3)
    )
    found = [made(spec, row) for row in rows]
    return (*found, *with_channels_last(spec, found, last), *(made(spec, tile) for tile in tiles))


def geometry(
    spec: OpSpec, windows: Windows, spans: Sizes, parameters: Mapping[str, Any], one_fill: Sequence[str]
) -> Geometry:
    """``windows`` are those along the operator's own axes."""
    name, level, finds = windows.name, windows.level, windows.finds
    row = Row(name, windows.plane, windows.counts, level, finds, windows.batch, one_fill=name in one_fill)
    return oriented(spec, row, spans, parameters)


def read_windows(
    spec: OpSpec, entry: Mapping[str, Any], keys: Sequence[str], name: str, where: str
) -> tuple[Windows, str]:
    """The windows that an entry of a description means, and its format."""
    axes = len(spec.axes)
    family.known_keys(entry, ("input_size", *keys, "format"), where)
    data_format = family.format_of(spec, entry, where)
    size = sizes(entry, "input_size", (axes + 2,) if data_format else (axes + 1, axes + 2), where)
    kernel = family.per_axis(entry, "kernel_size", axes, None, where)
    stride = family.per_axis(entry, "stride", axes, kernel, where)
    padding = family.per_axis(entry, "padding", axes, 0, where)
    dilation = family.per_axis(entry, "dilation", axes, 1, where)
    ceil = family.switch(entry, "ceil_mode", False, where)
    windows = Windows(name, size[:-axes], size[-axes:], kernel, stride, padding, (), dilation, ceil)
    return windows.along(spec), data_format


def draw_batch(draw: DrawFn, spec: OpSpec) -> tuple[list[int], str]:
    """N and C, or C, and a format that has them."""
    from hypothesis import strategies as st

    order = draw(st.sampled_from(spec.data_formats or (f"NC{spec.axes}",)))
    return [draw(st.integers(1, 3)) for _ in range(2 if is_channels_last(order) else draw(st.integers(1, 2)))], order


def draw_windows(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    axes = len(spec.axes)
    kernel = [draw(st.integers(1, 3)) for _ in range(axes)]
    dilation = [draw(st.integers(1, 2)) for _ in range(axes)]
    plane = [draw(st.integers((k - 1) * d + 1, 9)) for k, d in zip(kernel, dilation, strict=True)]
    batch, order = draw_batch(draw, spec)
    return {
        "input_size": [*batch, *plane],
        "kernel_size": kernel,
        "stride": [draw(st.integers(1, 3)) for _ in range(axes)],
        "padding": [draw(st.integers(0, k // 2)) for k in kernel],
        "dilation": dilation,
        "ceil_mode": draw(st.booleans()),
        "format": order,
    }


# ---- windows that share a plane as evenly as they can ----

_SHARED = (
    Row("even", (4, 6, 8), (2, 3, 2), "quick", ("layout",)),
    Row("uneven", (5, 7, 10), (3, 4, 7), "quick", ("index rule", "border")),
    Row("enlarged", (3, 4, 5), (5, 7, 8), "quick", ("index rule", "accumulation")),
    Row("4d", (4, 5, 6), (2, 3, 4), "quick", ("layout",), batch=(3,)),
    Row("equal", (3, 4, 5), (3, 4, 5), finds=("index rule",)),
    Row("mixed", (6, 4, 9), (4, 9, 2), finds=("index rule", "layout")),
    Row("whole", (3, 4, 5), (1, 1, 1), finds=("accumulation",)),
    Row("one", (1, 1, 1), (2, 3, 4), finds=("border",)),
    Row("halves", (4, 8, 16), (2, 4, 4), finds=("index rule",), one_fill=True),
    Row("nearly", (8, 12, 13), (7, 11, 12), finds=("index rule", "border"), one_fill=True),
    Row("factor7", (1, 2, 3), (2, 14, 21), finds=("accumulation",), batch=(1, 2), one_fill=True),
    Row("cells300", (3, 10, 11), (2, 5, 4), finds=("index rule",)),
    Row("cells2100", (3, 27, 28), (2, 11, 13), finds=("index rule",)),
    Row("cells33k", (6, 73, 76), (3, 24, 25), finds=("index rule",), batch=(1, 2)),
    Row("tail17", (2, 9, 40), (1, 5, 17), finds=("tiling",)),
    Row("tail72", (2, 3, 170), (1, 2, 72), finds=("tiling",), batch=(1, 2)),
    Row("deep18", (19, 4, 5), (18, 2, 3), finds=("tiling",), batch=(1, 2), one_fill=True),
    Row("tall66", (1, 131, 3), (1, 66, 2), finds=("tiling",), batch=(1, 2), one_fill=True),
    Row("wide1500", (1, 2, 1700), (1, 1, 1500), finds=("tiling", "index rule"), batch=(1, 2), one_fill=True),
    Row("batches", (2, 3, 5), (1, 2, 3), finds=("layout", "tiling"), batch=(3, 33), one_fill=True),
    Row("cells66k", (5, 109, 127), (5, 27, 32), finds=("index rule",), batch=(1, 2), one_fill=True),
    Row("same-count", (3, 6, 4), (3, 4, 6), finds=("layout",)),  # as many cells, not the same ones
    Row("tall37", (1, 37, 6), (1, 1, 2), finds=("tiling", "accumulation"), batch=(1, 2), one_fill=True),
    # Where n / m, or 1 / m, in float32 leads to another cell than the division of integers.
    Row("quotient", (1, 2, 62), (1, 1, 14), finds=("index rule",), batch=(1, 2), one_fill=True),
    Row("reciprocal", (4, 14, 30), (4, 13, 25), finds=("index rule",), batch=(1, 2), one_fill=True),
    Row("reciprocal-up", (1, 7, 5), (1, 49, 55), finds=("index rule",), batch=(1, 2), one_fill=True),
)
_LAST = ("uneven", "enlarged")  # rows that are run with channels last too


def shared_geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    rows = [shared_geometry(spec, row) for row in _SHARED]
    halved = (
        replace(row, small=row.large, large=(row.large[0], *(-(-n // 2) for n in row.large[1:])))
        for row in family.block_rows(2, 3)
    )
    return (*rows, *with_channels_last(spec, rows, _LAST), *(shared_geometry(spec, row) for row in halved))


def shared_geometry(spec: OpSpec, row: Row) -> Geometry:
    cells, pooled = cut(spec, row.small, row.name), cut(spec, row.large, row.name)
    own = replace(row, small=cells, large=pooled)
    if not spec.is_gradient:
        return oriented(spec, own, (1,) * len(cells), {"output_size": pooled})
    return oriented(spec, own, tuple(covering(adaptive_ends(n, m), n) for n, m in zip(cells, pooled, strict=True)), {})


def shared_extents(spec: OpSpec, geometry: Geometry) -> Sizes:
    """The most cells of a window along each axis."""
    sides = (geometry.result, geometry.source) if spec.is_gradient else (geometry.source, geometry.result)
    return tuple(int(np.diff(adaptive_ends(*along), axis=0).max()) for along in zip(*sides, strict=True))


def shared_described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    axes = len(spec.axes)
    family.known_keys(entry, ("input_size", "output_size", "format"), where)
    data_format = family.format_of(spec, entry, where)
    cells = sizes(entry, "input_size", (axes + 2,) if data_format else (axes + 1, axes + 2), where)
    pooled = sizes(entry, "output_size", (axes,), where)
    geometry = shared_geometry(spec, Row(name, cells[-axes:], pooled, batch=cells[:-axes]))
    return replace(geometry, data_format=data_format)


def shared_entry(spec: OpSpec, shapes: Mapping[str, Sizes], arguments: Mapping[str, Any]) -> dict[str, Any]:
    data_format = arguments.get("data_format", "")
    pooled = sizes_first(shapes[family.flowing_name(spec)], data_format)[-len(spec.axes) :]
    size = (
        family.per_axis(arguments, "output_size", len(spec.axes), None, "the call") if not spec.is_gradient else pooled
    )
    return {**cells_of(shapes, arguments), "output_size": size}


def cells_of(shapes: Mapping[str, Sizes], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry says of the pooled tensor: its sizes, and its format if the call has one."""
    data_format = arguments.get("data_format", "")
    return {"input_size": sizes_first(shapes["input"], data_format), **({"format": data_format} if data_format else {})}


def shared_draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    batch, order = draw_batch(draw, spec)
    return {
        "input_size": [*batch, *(draw(st.integers(1, 9)) for _ in spec.axes)],
        "output_size": [draw(st.integers(1, 12)) for _ in spec.axes],
        "format": order,
    }
