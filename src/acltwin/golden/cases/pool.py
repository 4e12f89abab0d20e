"""Max pooling, also to a given size, and the gradients: windows, the tensor they look at, and legal indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import acltwin
from acltwin.golden.cases.arrays import is_channels_last, sizes_first
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import Array, facts
from acltwin.golden.cases.family import (
    Family,
    Geometry,
    Level,
    channels_last,
    cut,
    flowing_name,
    format_of,
    known_keys,
    per_axis,
    sizes,
    takes_windows,
)
from acltwin.golden.cases.fills import IMAGES, Making, image, values
from acltwin.golden.cases.streams import Stream
from acltwin.golden.cases.windows import adaptive_ends, covering, window_count
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

Sizes = tuple[int, int, int]

WINDOW = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
# name, batch, plane, kernel, stride, padding, dilation, ceil mode, lowest level, what it finds
_Row = tuple[str, tuple[int, ...], Sizes, Sizes, Sizes, Sizes, Sizes, bool, Level, tuple[str, ...]]
_ROWS: tuple[_Row, ...] = (
    ("apart", (2, 3), (4, 6, 8), (2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1), False, "quick", ("layout",)),
    ("overlap", (2, 3), (4, 5, 6), (3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), False, "quick", ("accumulation",)),
    ("ceil", (2, 3), (5, 6, 7), (2, 3, 2), (2, 2, 3), (0, 0, 0), (1, 1, 1), True, "quick", ("border",)),
    ("ceil-padded", (2, 3), (5, 6, 7), (3, 2, 3), (2, 2, 2), (1, 1, 1), (1, 1, 1), True, "default", ("border",)),
    ("dilated", (2, 3), (7, 5, 9), (2, 3, 2), (2, 1, 2), (0, 1, 1), (2, 1, 3), False, "default", ("index rule",)),
    ("dilated-rows", (2, 3), (3, 9, 8), (2, 3, 2), (1, 2, 1), (1, 1, 0), (1, 3, 2), False, "default", ("index rule",)),
    ("4d", (3,), (4, 5, 6), (2, 3, 2), (2, 1, 2), (1, 1, 0), (1, 1, 1), False, "quick", ("layout",)),
    ("last-in-padding", (2, 3), (4, 3, 5), (2, 2, 4), (3, 3, 3), (1, 1, 2), (1, 1, 1), True, "default", ("border",)),
    ("gaps", (2, 3), (5, 7, 9), (1, 2, 2), (2, 3, 4), (0, 0, 0), (1, 1, 1), False, "default", ("initialisation",)),
    ("cells300", (2, 3), (3, 10, 11), (2, 2, 3), (1, 2, 2), (0, 1, 1), (1, 1, 1), False, "default", ("index rule",)),
    ("cells2100", (2, 3), (3, 27, 28), (3, 3, 2), (2, 2, 2), (1, 1, 1), (1, 1, 1), False, "default", ("index rule",)),
    ("cells33k", (1, 2), (6, 73, 76), (2, 3, 3), (2, 3, 3), (0, 0, 0), (1, 1, 1), False, "default", ("index rule",)),
    ("tail17", (2, 3), (2, 9, 33), (1, 3, 3), (1, 2, 2), (0, 1, 1), (1, 1, 1), False, "default", ("tiling",)),
    ("tail72", (1, 2), (2, 3, 143), (1, 2, 3), (1, 1, 2), (0, 0, 1), (1, 1, 1), False, "default", ("tiling",)),
    ("deep18", (1, 2), (19, 4, 5), (2, 2, 3), (1, 2, 2), (0, 1, 1), (1, 1, 1), False, "default", ("tiling",)),
    ("tall66", (1, 2), (1, 131, 3), (1, 3, 2), (1, 2, 1), (0, 1, 0), (1, 1, 1), False, "default", ("tiling",)),
    ("wide1500", (1, 2), (1, 2, 1500), (1, 2, 3), (1, 1, 1), (0, 0, 1), (1, 1, 1), False, "default", ("tiling",)),
    ("batches", (3, 33), (2, 3, 5), (1, 2, 2), (1, 1, 2), (0, 0, 1), (1, 1, 1), False, "default", ("layout", "tiling")),
    ("cells66k", (1, 2), (5, 109, 127), (3, 4, 4), (3, 4, 4), (0, 0, 0), (1, 1, 1), False, "default", ("index rule",)),
)

ONE_FILL = ("halves", "nearly", "factor7", "deep18", "tall66", "wide1500", "batches", "cells66k")
_LAST = ("overlap", "ceil-padded", "dilated", "uneven", "enlarged")  # rows that are run with channels last too

# to a given size: name, batch, plane, size of the result, lowest level, what it finds
_ADAPTIVE: tuple[tuple[str, tuple[int, ...], Sizes, Sizes, Level, tuple[str, ...]], ...] = (
    ("even", (2, 3), (4, 6, 8), (2, 3, 2), "quick", ("layout",)),
    ("uneven", (2, 3), (5, 7, 10), (3, 4, 7), "quick", ("index rule", "border")),
    ("enlarged", (2, 3), (3, 4, 5), (5, 7, 8), "quick", ("index rule", "accumulation")),
    ("4d", (3,), (4, 5, 6), (2, 3, 4), "quick", ("layout",)),
    ("equal", (2, 3), (3, 4, 5), (3, 4, 5), "default", ("index rule",)),
    ("mixed", (2, 3), (6, 4, 9), (4, 9, 2), "default", ("index rule", "layout")),
    ("whole", (2, 3), (3, 4, 5), (1, 1, 1), "default", ("accumulation",)),
    ("one", (2, 3), (1, 1, 1), (2, 3, 4), "default", ("border",)),
    ("halves", (2, 3), (4, 8, 16), (2, 4, 4), "default", ("index rule",)),
    ("nearly", (2, 3), (8, 12, 13), (7, 11, 12), "default", ("index rule", "border")),
    ("factor7", (1, 2), (1, 2, 3), (2, 14, 21), "default", ("accumulation",)),
    ("cells300", (2, 3), (3, 10, 11), (2, 5, 4), "default", ("index rule",)),
    ("cells2100", (2, 3), (3, 27, 28), (2, 11, 13), "default", ("index rule",)),
    ("cells33k", (1, 2), (6, 73, 76), (3, 24, 25), "default", ("index rule",)),
    ("tail17", (2, 3), (2, 9, 40), (1, 5, 17), "default", ("tiling",)),
    ("tail72", (1, 2), (2, 3, 170), (1, 2, 72), "default", ("tiling",)),
    ("deep18", (1, 2), (19, 4, 5), (18, 2, 3), "default", ("tiling",)),
    ("tall66", (1, 2), (1, 131, 3), (1, 66, 2), "default", ("tiling",)),
    ("wide1500", (1, 2), (1, 2, 1700), (1, 1, 1500), "default", ("tiling", "index rule")),
    ("batches", (3, 33), (2, 3, 5), (1, 2, 3), "default", ("layout", "tiling")),
    ("cells66k", (1, 2), (5, 109, 127), (5, 27, 32), "default", ("index rule",)),
)


def window_rows() -> Iterator[_Row]:
    """For every pooling with windows like these."""
    yield from _ROWS


def geometries(spec: OpSpec, table: Iterable[_Row] = _ROWS) -> tuple[Geometry, ...]:
    rows = [_geometry(spec, *row) for row in table]
    last = [
        channels_last(row, order, "default") for order in spec.data_formats[1:] for row in rows if row.name in _LAST
    ]
    return (*rows, *last, *_tiles(spec))


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    axes = len(spec.axes)
    known_keys(entry, ("input_size", *WINDOW, "format"), where)
    data_format = format_of(spec, entry, where)
    size = sizes(entry, "input_size", (axes + 2,) if data_format else (axes + 1, axes + 2), where)
    kernel = per_axis(entry, "kernel_size", axes, None, where)
    stride = per_axis(entry, "stride", axes, kernel, where)
    padding = per_axis(entry, "padding", axes, 0, where)
    dilation = per_axis(entry, "dilation", axes, 1, where)
    ceil_mode = entry.get("ceil_mode", False)
    if not isinstance(ceil_mode, bool):
        raise ValueError(f"{where}: ceil_mode is {short(ceil_mode)}; expected true or false")
    geometry = _geometry(
        spec, name, size[:-axes], size[-axes:], kernel, stride, padding, dilation, ceil_mode, "default", ()
    )
    if min(*geometry.source, *geometry.result) < 1:
        raise ValueError(f"{where}: no window fits: {geometry.source} -> {geometry.result}")
    return replace(geometry, data_format=data_format)


def fills(spec: OpSpec, dtype: str) -> tuple[str, ...]:
    if not facts(dtype).is_float:  # bool has no two values in a window that differ from a third
        return ("ties",) if dtype == "bool" else ("distinct", "ties", "special")
    if not spec.is_gradient:
        return (*IMAGES, "special")
    rounding = () if dtype in ("float32", "float64") else ("rounding",)  # those round on the way, too
    return ("coded", "signed", "real", "special", *rounding, *(f"signed-{kind}" for kind in IMAGES[1:]))


def arguments(spec: OpSpec, geometry: Geometry, batch: tuple[int, ...]) -> dict[str, object]:
    return dict(geometry.parameters)


def flowing(making: Making, tensor: str) -> Array:
    if making.fill not in IMAGES:
        return values(making, tensor)
    return image(making.fill, making.stream(tensor), making.shape, making.dtype, extents(making.spec, making.geometry))


def companions(making: Making) -> dict[str, Array]:
    """What the forward pass saw, and the indices that it found there."""
    spec = making.spec
    if not spec.is_gradient:
        return {}
    kind = making.fill.partition("-")[2] or IMAGES[0]
    plane = making.geometry.result
    shape = (*making.batch, *plane)
    shown = next(argument for argument in spec.inputs if argument.holds == "shape")
    stream = making.stream(shown.python_name)
    if making.fill in ("coded", "impulse"):  # the codes of one cell must meet: all planes share one image
        one = image(kind, stream, (*(1,) * len(making.batch), *plane), making.dtype, extents(spec, making.geometry))
        seen = np.ascontiguousarray(np.broadcast_to(one, shape))
    else:
        seen = image(kind, stream, shape, making.dtype, extents(spec, making.geometry))
    indices = next(argument for argument in spec.inputs if argument.holds == "indices")
    window = making.geometry.parameters or {"output_size": making.geometry.source}
    _, places = getattr(acltwin, spec.partner)(seen, **window, index_dtype=indices.dtypes[0])
    return {shown.python_name: seen, indices.python_name: places}


def entry_of(spec: OpSpec, shapes: Mapping[str, tuple[int, ...]], arguments: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: arguments[name] for name in WINDOW if arguments.get(name) not in (None, ())}
    if "data_format" not in arguments:
        return {"input_size": shapes["input"], **given}
    data_format = arguments["data_format"]
    return {"input_size": sizes_first(shapes["input"], data_format), "format": data_format, **given}


def draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    axes = len(spec.axes)
    kernel = [draw(st.integers(1, 3)) for _ in range(axes)]
    dilation = [draw(st.integers(1, 2)) for _ in range(axes)]
    plane = [draw(st.integers((k - 1) * d + 1, 9)) for k, d in zip(kernel, dilation, strict=True)]
    order = draw(st.sampled_from(spec.data_formats or (f"NC{spec.axes}",)))
    batch = [draw(st.integers(1, 3)) for _ in range(2 if is_channels_last(order) else draw(st.integers(1, 2)))]
    return {
        "input_size": [*batch, *plane],
        "kernel_size": kernel,
        "stride": [draw(st.integers(1, 3)) for _ in range(axes)],
        "padding": [draw(st.integers(0, k // 2)) for k in kernel],
        "dilation": dilation,
        "ceil_mode": draw(st.booleans()),
        "format": order,
    }


def legal_indices(
    spec: OpSpec, geometry: Geometry, tensors: Mapping[str, Array], arguments: Mapping[str, Any], stream: Stream
) -> Array:
    """Those that the forward pass finds."""
    width = tensors["indices"].dtype.name
    _, places = getattr(acltwin, spec.partner)(tensors["input"], **arguments, index_dtype=width)
    return np.asarray(places)


def extents(spec: OpSpec, geometry: Geometry) -> tuple[int, ...]:
    """The most cells that a window spans along each axis."""
    if not takes_windows(spec):
        sizes = (geometry.result, geometry.source) if spec.is_gradient else (geometry.source, geometry.result)
        return tuple(int(np.diff(adaptive_ends(*along), axis=0).max()) for along in zip(*sizes, strict=True))
    if "kernel_shape" in geometry.parameters:  # never dilated
        return tuple(geometry.parameters["kernel_shape"])
    kernel, dilation = geometry.parameters["kernel_size"], geometry.parameters["dilation"]
    return tuple((k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True))


def _geometry(
    spec: OpSpec,
    name: str,
    batch: tuple[int, ...],
    plane: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    ceil_mode: bool,
    level: Level,
    finds: tuple[str, ...],
) -> Geometry:
    along_axes = [cut(spec, plane, name), *(n[-len(spec.axes) :] for n in (kernel, stride, padding, dilation))]
    pooled = tuple(window_count(n, k, s, p, d, ceil_mode) for n, k, s, p, d in zip(*along_axes, strict=True))
    cells, kernels, strides, paddings, dilations = along_axes
    covering = [
        min(count, -(-((k - 1) * d + 1) // s))
        for count, k, s, d in zip(pooled, kernels, strides, dilations, strict=True)
    ]
    return Geometry(
        name=f"{len(spec.axes) + 1}d" if name == "4d" else name,
        batch=batch,
        source=pooled if spec.is_gradient else cells,
        result=cells if spec.is_gradient else pooled,
        spans=tuple(covering) if spec.is_gradient else (1,) * len(covering),
        parameters={
            "kernel_size": kernels,
            "stride": strides,
            "padding": paddings,
            "dilation": dilations,
            "ceil_mode": ceil_mode,
        },
        level=level,
        finds=finds,
        one_fill=name in ONE_FILL,
    )


def _tiles(spec: OpSpec) -> list[Geometry]:
    two, one, none = (1, 2, 2), (1, 1, 1), (0, 0, 0)
    return [
        _geometry(spec, name, batch, plane, two, step, none, one, False, "full", ("tiling",))
        for name, batch, plane, step in tiles()
    ]


def tiles() -> Iterator[tuple[str, tuple[int, int], Sizes, Sizes]]:
    """Sizes around the blocks that kernels work in, along W, along H and over the planes; and the step of windows."""
    for block, off in product((8, 16, 32, 64, 128, 256, 512), (-1, 0, 1)):
        size = block + off
        yield f"w{size}", (2, 3), (1, 3, 2 * size), (1, 2, 2)
        yield f"h{size}", (2, 3), (1, 2 * size, 3), (1, 2, 2)
        yield f"planes{size}", (2, size), (2, 3, 5), (1, 1, 1)


FAMILY = Family(
    geometries=geometries,
    arguments=arguments,
    described=described,
    entry=entry_of,
    draw=draw,
    fills=fills,
    flowing=flowing,
    companions=companions,
    legal_indices=legal_indices,
    unread=-np.inf,
    torch_name="torch.nn.functional.max_pool{axes}d",
    aten_indices_last=True,
)


# ---- pooling to a given size: windows follow from the sizes ----


def adaptive_geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    rows = [_adaptive(spec, *row) for row in _ADAPTIVE]
    last = [
        channels_last(row, order, "default") for order in spec.data_formats[1:] for row in rows if row.name in _LAST
    ]
    full = [
        _adaptive(spec, name, batch, plane, (plane[0], *(-(-n // 2) for n in plane[1:])), "full", ("tiling",))
        for name, batch, plane, _ in tiles()
    ]
    return (*rows, *last, *full)


def _adaptive(
    spec: OpSpec,
    name: str,
    batch: tuple[int, ...],
    plane: tuple[int, ...],
    size: tuple[int, ...],
    level: Level,
    finds: tuple[str, ...],
) -> Geometry:
    cells, pooled = cut(spec, plane, name), cut(spec, size, name)
    spans = tuple(covering(adaptive_ends(n, m), n) for n, m in zip(cells, pooled, strict=True))
    return Geometry(
        name=f"{len(spec.axes) + 1}d" if name == "4d" else name,
        batch=batch,
        source=pooled if spec.is_gradient else cells,
        result=cells if spec.is_gradient else pooled,
        spans=spans if spec.is_gradient else (1,) * len(spans),
        parameters={} if spec.is_gradient else {"output_size": pooled},
        level=level,
        finds=finds,
        one_fill=name in ONE_FILL,
    )


def adaptive_described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    axes = len(spec.axes)
    known_keys(entry, ("input_size", "output_size", "format"), where)
    data_format = format_of(spec, entry, where)
    cells = sizes(entry, "input_size", (axes + 2,) if data_format else (axes + 1, axes + 2), where)
    pooled = sizes(entry, "output_size", (axes,), where)
    geometry = _adaptive(spec, name, cells[:-axes], cells[-axes:], pooled, "default", ())
    return replace(geometry, data_format=data_format)


def adaptive_entry_of(
    spec: OpSpec, shapes: Mapping[str, tuple[int, ...]], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    data_format = arguments.get("data_format", "")
    cells = sizes_first(shapes["input"], data_format)
    pooled = sizes_first(shapes[flowing_name(spec)], data_format)[-len(spec.axes) :]
    size = per_axis(arguments, "output_size", len(spec.axes), None, "the call") if not spec.is_gradient else pooled
    return {"input_size": cells, "output_size": size, **({"format": data_format} if data_format else {})}


def adaptive_draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    order = draw(st.sampled_from(spec.data_formats or (f"NC{spec.axes}",)))
    batch = [draw(st.integers(1, 3)) for _ in range(2 if is_channels_last(order) else draw(st.integers(1, 2)))]
    return {
        "input_size": [*batch, *(draw(st.integers(1, 9)) for _ in spec.axes)],
        "output_size": [draw(st.integers(1, 12)) for _ in spec.axes],
        "format": order,
    }


ADAPTIVE = replace(
    FAMILY,
    geometries=adaptive_geometries,
    described=adaptive_described,
    entry=adaptive_entry_of,
    draw=adaptive_draw,
    legal_indices=lambda spec, geometry, tensors, arguments, stream: np.asarray(
        getattr(acltwin, spec.partner)(
            tensors["input"], geometry.source, index_dtype=tensors["indices"].dtype.name, **arguments
        )[1]
    ),
    torch_name="torch.nn.functional.adaptive_max_pool{axes}d",
    mistakes="pool",
)
