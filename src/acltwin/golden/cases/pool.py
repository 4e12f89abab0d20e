"""Max pooling, also to a given size, and the gradients: windows, the tensor they look at, and legal indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import acltwin
from acltwin.golden.cases import masks, pooling
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import Array, facts
from acltwin.golden.cases.family import Family, Geometry, format_of, known_keys, per_axis, sizes, switch, takes_windows
from acltwin.golden.cases.fills import IMAGES, Making, image, values
from acltwin.golden.cases.pooling import NONE, ONE, ROWS, WINDOW, Windows
from acltwin.golden.cases.streams import Stream
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

_LAST = ("overlap", "ceil-padded", "dilated")  # rows that are run with channels last too


def geometries(spec: OpSpec, rows: Iterable[Windows] = ROWS) -> tuple[Geometry, ...]:
    return pooling.geometries(spec, rows, lambda spec, row: _geometry(spec, row.along(spec)), _LAST)


def _geometry(spec: OpSpec, windows: Windows) -> Geometry:
    reach = zip(windows.counts, windows.extents, windows.stride, strict=True)
    spans = tuple(min(count, -(-extent // step)) if spec.is_gradient else 1 for count, extent, step in reach)
    lists = (windows.kernel, windows.stride, windows.padding, windows.dilation, windows.ceil)
    return pooling.geometry(spec, windows, spans, dict(zip(WINDOW, lists, strict=True)), pooling.ONE_FILL)


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    windows, data_format = pooling.read_windows(spec, entry, WINDOW, name, where)
    return replace(_fitting(_geometry(spec, windows), where), data_format=data_format)


def _fitting(geometry: Geometry, where: str) -> Geometry:
    if min(*geometry.source, *geometry.result) < 1:
        raise ValueError(f"{where}: no window fits: {geometry.source} -> {geometry.result}")
    return geometry


def entry_of(
    spec: OpSpec,
    shapes: Mapping[str, tuple[int, ...]],
    arguments: Mapping[str, Any],
    keys: tuple[str, ...] = WINDOW,
) -> dict[str, Any]:
    given = {name: arguments[name] for name in keys if arguments.get(name) not in (None, ())}
    return {**pooling.cells_of(shapes, arguments), **given}


def fills(spec: OpSpec, dtype: str) -> tuple[str, ...]:
    if not facts(dtype).is_float:  # bool has no two values in a window that differ from a third
        return ("ties",) if dtype == "bool" else ("distinct", "ties", "special")
    if not spec.is_gradient:
        return (*IMAGES, "special")
    rounding = () if dtype in ("float32", "float64") else ("rounding",)  # those round on the way, too
    return ("coded", "signed", "real", "special", *rounding, *(f"signed-{kind}" for kind in IMAGES[1:]))


def flowing(making: Making, tensor: str) -> Array:
    if making.fill not in IMAGES:
        return values(making, tensor)
    return image(making.fill, making.stream(tensor), making.shape, making.dtype, extents(making.spec, making.geometry))


def extents(spec: OpSpec, geometry: Geometry) -> tuple[int, ...]:
    """The most cells that a window spans along each axis."""
    if not takes_windows(spec):
        return pooling.shared_extents(spec, geometry)
    if "kernel_shape" in geometry.parameters:  # never dilated
        return tuple(geometry.parameters["kernel_shape"])
    kernel, dilation = geometry.parameters["kernel_size"], geometry.parameters["dilation"]
    return tuple((k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True))


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
    return {shown.python_name: seen, indices.python_name: _found(spec, seen, window, indices.dtypes[0])}


def legal_indices(
    spec: OpSpec, geometry: Geometry, tensors: Mapping[str, Array], arguments: Mapping[str, Any], stream: Stream
) -> Array:
    """Those that the forward pass finds."""
    window = arguments if takes_windows(spec) else {"output_size": geometry.source, **arguments}
    return _found(spec, tensors["input"], window, tensors["indices"].dtype.name)


def _found(spec: OpSpec, seen: Array, window: Mapping[str, Any], width: str) -> Array:
    return np.asarray(getattr(acltwin, spec.partner)(seen, **window, index_dtype=width)[1])


FAMILY = Family(
    geometries=geometries,
    arguments=lambda spec, geometry, batch: dict(geometry.parameters),
    described=described,
    entry=entry_of,
    draw=pooling.draw_windows,
    fills=fills,
    flowing=flowing,
    companions=companions,
    legal_indices=legal_indices,
    unread=-np.inf,
    torch_name="torch.nn.functional.max_pool{axes}d",
    aten_indices_last=True,
)
ADAPTIVE = replace(
    FAMILY,
    geometries=pooling.shared_geometries,
    described=pooling.shared_described,
    entry=pooling.shared_entry,
    draw=pooling.shared_draw,
    torch_name="torch.nn.functional.adaptive_max_pool{axes}d",
    mistakes="pool",
)


# ---- without indices, and with padding that may differ from side to side ----

_SIDES = ("kernel_shape", "strides", "pads", "dilations", "ceil_mode")
_PLAIN_QUICK = ("overlap", "ceil")  # of those of max pooling
_PLAIN_ROWS = (
    *(replace(row, level=row.level if row.name in _PLAIN_QUICK else "default") for row in ROWS if row.dilation == ONE),
    Windows("before", (2, 3), (5, 7), (3, 4), (2, 2), (1, 2), (0, 0), level="quick", finds=("border",)),
    Windows("behind", (2, 3), (5, 7), (3, 4), (2, 2), (0, 0), (2, 1), level="quick", finds=("border",)),
    Windows("crossed", (2, 3), (6, 7), (3, 5), (1, 2), (2, 0), (1, 3), finds=("border", "layout")),
    Windows("behind-ceil", (2, 3), (6, 8), (3, 3), (2, 3), (0, 1), (1, 2), ceil=True, finds=("border",)),
    Windows("only-padding", (2, 3), (4, 5), (2, 3), (3, 4), (0, 0), (2, 3), finds=("border", "initialisation")),
)


def _plain_geometry(spec: OpSpec, windows: Windows) -> Geometry:
    ones = (1,) * len(spec.axes)
    pads = (*windows.padding, *(windows.behind or windows.padding))
    lists = (windows.kernel, windows.stride, pads, ones, windows.ceil)
    return pooling.geometry(spec, windows, ones, dict(zip(_SIDES, lists, strict=True)), pooling.ONE_FILL)


def _plain_geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    return pooling.geometries(spec, _PLAIN_ROWS, lambda spec, row: _plain_geometry(spec, row.along(spec)), ())


def _plain_described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    axes = len(spec.axes)
    known_keys(entry, ("input_size", *_SIDES, "format"), where)
    data_format = format_of(spec, entry, where)
    size = sizes(entry, "input_size", (axes + 1, axes + 2), where)
    kernel = per_axis(entry, "kernel_shape", axes, None, where)
    stride = per_axis(entry, "strides", axes, 1, where)
    pads = entry.get("pads", 0)
    sides = (pads[:axes], pads[axes:]) if isinstance(pads, list | tuple) and len(pads) == 2 * axes else (pads, pads)
    low, high = (per_axis({"pads": part}, "pads", axes, 0, where) for part in sides)
    ceil = switch(entry, "ceil_mode", False, where)
    windows = Windows(name, size[:-axes], size[-axes:], kernel, stride, low, high, ceil=ceil).along(spec)
    return replace(_fitting(_plain_geometry(spec, windows), where), data_format=data_format)


def _plain_draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
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


PLAIN = replace(
    FAMILY,
    geometries=_plain_geometries,
    described=_plain_described,
    entry=partial(entry_of, keys=_SIDES),
    draw=_plain_draw,
    mistakes="pool",
)


# ---- with the device's mask: nothing is dilated, and there are kernels of one cell ----

_MASKED_ROWS = (
    *(replace(row, level="default" if row.name == "ceil" else row.level) for row in ROWS if row.dilation == ONE),
    Windows("points", (2, 3), (1, 5, 7), ONE, (1, 2, 3), NONE, level="quick", finds=("index rule", "layout")),
    Windows("points18", (2, 18), (1, 5, 7), ONE, ONE, NONE, finds=("index rule", "layout", "tiling")),
)


def _masked_described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    geometry = described(spec, entry, name, where)
    if max(geometry.parameters["dilation"]) > 1:
        raise ValueError(f"{where}: dilation is {short(entry['dilation'])}; expected 1: masks know no other")
    return geometry


def _masked_companions(making: Making) -> dict[str, Array]:
    """The indices that max pooling finds, in a mask."""
    made = companions(replace(making, spec=masks.without_mask(making.spec)))
    if "indices" not in made:
        return made
    geometry = making.geometry
    mask = masks.mask_of(making.spec, made["indices"], geometry.result, geometry.parameters)
    return {**made, "indices": mask}


def _legal_masks(
    spec: OpSpec, geometry: Geometry, tensors: Mapping[str, Array], arguments: Mapping[str, Any], stream: Stream
) -> Array:
    given = masks.given_indices(spec, tensors, arguments)
    found = legal_indices(masks.without_mask(spec), geometry, given, arguments, stream)
    return masks.mask_of(spec, found, geometry.result, arguments)


MASKED = replace(
    FAMILY,
    geometries=lambda spec: geometries(spec, _MASKED_ROWS),
    described=_masked_described,
    draw=lambda draw, spec: {**pooling.draw_windows(draw, spec), "dilation": 1},
    companions=_masked_companions,
    legal_indices=_legal_masks,
    mistakes="pool",
)
