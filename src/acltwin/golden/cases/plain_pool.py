"""Max pooling without indices, whose padding may differ from side to side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acltwin.golden.cases import pool
from acltwin.golden.cases.arrays import sizes_first
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.family import Geometry, Level, cut, format_of, known_keys, per_axis, sizes
from acltwin.golden.cases.windows import window_count
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

Pair = tuple[int, int]
_KEYS = ("kernel_shape", "strides", "pads", "dilations", "ceil_mode")
# name, batch, plane, kernel, stride, padding before, padding behind, ceil mode, lowest level, what it finds
_ROWS: tuple[tuple[str, tuple[int, ...], Pair, Pair, Pair, Pair, Pair, bool, Level, tuple[str, ...]], ...] = (
    ("before", (2, 3), (5, 7), (3, 4), (2, 2), (1, 2), (0, 0), False, "quick", ("border",)),
    ("behind", (2, 3), (5, 7), (3, 4), (2, 2), (0, 0), (2, 1), False, "quick", ("border",)),
    ("crossed", (2, 3), (6, 7), (3, 5), (1, 2), (2, 0), (1, 3), False, "default", ("border", "layout")),
    ("behind-ceil", (2, 3), (6, 8), (3, 3), (2, 3), (0, 1), (1, 2), True, "default", ("border",)),
    ("only-padding", (2, 3), (4, 5), (2, 3), (3, 4), (0, 0), (2, 3), False, "default", ("border", "initialisation")),
)
_QUICK = ("overlap", "ceil")  # of the others


def geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    """Those of max pooling, as far as nothing is dilated, and some of their own."""
    like = [row for row in pool.window_rows() if row[6] == (1, 1, 1)]
    rows = [
        _geometry(spec, name, b, n, k, s, p, p, c, level if name in _QUICK else "default", finds)
        for name, b, n, k, s, p, _, c, level, finds in like
    ]
    tiles = [
        _geometry(spec, name, batch, plane, (2, 2), step, (0, 0), (0, 0), False, "full", ("tiling",))
        for name, batch, plane, step in pool.tiles()
    ]
    return (*rows, *(_geometry(spec, *row) for row in _ROWS), *tiles)


def _geometry(
    spec: OpSpec,
    name: str,
    batch: tuple[int, ...],
    plane: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    before: tuple[int, ...],
    behind: tuple[int, ...],
    ceil_mode: bool,
    level: Level,
    finds: tuple[str, ...],
) -> Geometry:
    axes = len(spec.axes)
    cells, kernels, strides = cut(spec, plane, name), kernel[-axes:], stride[-axes:]
    pads = before[-axes:], behind[-axes:]
    each = zip(cells, kernels, strides, *pads, strict=True)
    pooled = tuple(window_count(n, k, s, lo, 1, ceil_mode, hi) for n, k, s, lo, hi in each)
    window = {"kernel_shape": kernels, "strides": strides, "pads": (*pads[0], *pads[1]), "dilations": (1,) * axes}
    return Geometry(
        name=f"{axes + 1}d" if name == "4d" else name,
        batch=batch,
        source=cells,
        result=pooled,
        spans=(1,) * axes,
        parameters={**window, "ceil_mode": ceil_mode},
        level=level,
        finds=finds,
        one_fill=name in pool.ONE_FILL,
    )


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    axes = len(spec.axes)
    known_keys(entry, ("input_size", *_KEYS, "format"), where)
    data_format = format_of(spec, entry, where)
    size = sizes(entry, "input_size", (axes + 1, axes + 2), where)
    kernel = per_axis(entry, "kernel_shape", axes, None, where)
    stride = per_axis(entry, "strides", axes, 1, where)
    pads = entry.get("pads", 0)
    sides = pads if isinstance(pads, list | tuple) and len(pads) == 2 * axes else None
    before, behind = ({"pads": part} for part in ((sides[:axes], sides[axes:]) if sides else (pads, pads)))
    low, high = (per_axis(part, "pads", axes, 0, where) for part in (before, behind))
    ceil_mode = entry.get("ceil_mode", False)
    if not isinstance(ceil_mode, bool):
        raise ValueError(f"{where}: ceil_mode is {short(ceil_mode)}; expected true or false")
    geometry = _geometry(spec, name, size[:-axes], size[-axes:], kernel, stride, low, high, ceil_mode, "default", ())
    if min(geometry.result) < 1:
        raise ValueError(f"{where}: no window fits: {geometry.source} -> {geometry.result}")
    return replace(geometry, data_format=data_format)


def entry_of(spec: OpSpec, shapes: Mapping[str, tuple[int, ...]], arguments: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: arguments[name] for name in _KEYS if arguments.get(name) not in (None, ())}
    return {"input_size": sizes_first(shapes["input"], str(arguments.get("data_format", ""))), **given}


def draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    kernel = [draw(st.integers(1, 3)) for _ in spec.axes]
    before = [draw(st.integers(0, size - 1)) for size in kernel]
    return {
        "input_size": [draw(st.integers(1, 3)), draw(st.integers(1, 3)), *(draw(st.integers(3, 9)) for _ in spec.axes)],
        "kernel_shape": kernel,
        "strides": [draw(st.integers(1, 3)) for _ in spec.axes],
        "pads": [*before, *(draw(st.integers(0, k - p - 1)) for k, p in zip(kernel, before, strict=True))],
        "ceil_mode": draw(st.booleans()),
    }


FAMILY = replace(pool.FAMILY, geometries=geometries, described=described, entry=entry_of, draw=draw, mistakes="pool")
