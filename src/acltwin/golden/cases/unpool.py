"""Max unpooling and its gradient: planes of both sizes, and the indices that join them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.codes import digit_count
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import Family, Geometry, Row, block_rows, cut, known_keys, oriented, sizes
from acltwin.golden.cases.fills import Making, unread, values
from acltwin.golden.cases.streams import Stream
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

_ROWS = (
    Row("smaller", (2, 3, 4), (4, 6, 9), "quick", ("index rule", "layout")),
    Row("equal", (3, 4, 5), (3, 4, 5), "quick", ("index rule",)),
    Row("4d", (2, 3, 4), (3, 5, 7), "quick", ("layout",), batch=(3,)),
    Row("longer", (5, 2, 3), (4, 6, 9), finds=("layout", "border")),
    Row("tail17", (1, 3, 17), (2, 5, 33), finds=("tiling",)),
    Row("tail70", (1, 2, 70), (2, 3, 141), finds=("tiling",), batch=(1, 2)),
    Row("cells300", (3, 5, 7), (4, 9, 11), "quick", ("index rule",)),
    Row("cells2100", (2, 10, 13), (3, 27, 28), finds=("index rule",)),
    Row("cells33k", (3, 10, 13), (6, 73, 76), finds=("index rule",), batch=(1, 2)),
    Row("cells66k", (2, 5, 7), (5, 109, 127), finds=("index rule",), batch=(1, 2), one_fill=True),
    Row("deep17", (17, 2, 3), (34, 3, 5), finds=("tiling",), batch=(1, 2), one_fill=True),
    Row("tall66", (1, 66, 2), (1, 131, 3), finds=("tiling",), batch=(1, 2), one_fill=True),
    Row("wide1500", (1, 1, 730), (1, 2, 1500), finds=("tiling",), batch=(1, 2), one_fill=True),
    Row("batches", (1, 2, 3), (2, 3, 5), finds=("layout", "tiling"), batch=(3, 33), one_fill=True),
)
PLACES = ("distinct", "repeated")


def geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    return tuple(_geometry(spec, row) for row in (*_ROWS, *block_rows(2, 3)))


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    axes = len(spec.axes)
    known_keys(entry, ("input_size", "output_size"), where)
    pooled = sizes(entry, "input_size", (axes + 1, axes + 2), where)
    unpooled = sizes(entry, "output_size", (axes,), where)
    if math.prod(unpooled) < math.prod(pooled[-axes:]):
        raise ValueError(f"{where}: output_size {unpooled} has fewer cells than {pooled[-axes:]}")
    return _geometry(spec, Row(name, pooled[-axes:], unpooled, batch=pooled[:-axes]))


def fills(spec: OpSpec, dtype: str) -> tuple[str, ...]:
    """Which of several values stays at one place is not specified on the device, so only the gradient repeats."""
    return ("coded", "special", "coded-repeated") if spec.is_gradient else ("coded", "special")


def arguments(spec: OpSpec, geometry: Geometry, batch: tuple[int, ...]) -> dict[str, object]:
    outer = geometry.source if spec.is_gradient else geometry.result
    window = {"stride": (2,) * len(spec.axes), "padding": (0,) * len(spec.axes)}
    known = {argument.python_name for argument in spec.inputs}
    return {"output_size": outer, **{name: value for name, value in window.items() if name in known}}


def entry_of(spec: OpSpec, shapes: Mapping[str, tuple[int, ...]], arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"input_size": shapes["input"], "output_size": arguments["output_size"]}


def draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    pooled = [draw(st.integers(1, 4)) for _ in spec.axes]
    batch = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(1, 2)))]
    return {"input_size": [*batch, *pooled], "output_size": [draw(st.integers(size, 3 * size)) for size in pooled]}


def legal_indices(
    spec: OpSpec, geometry: Geometry, tensors: Mapping[str, Array], arguments: Mapping[str, Any], stream: Stream
) -> Array:
    """Those that are there, cut to the plane; of several values at one place it is not specified which one stays."""
    given = tensors["indices"]
    cells = math.prod(geometry.source if spec.is_gradient else geometry.result)
    if spec.is_gradient:
        return np.clip(given, 0, cells - 1)
    planes = range(math.prod(geometry.batch))
    rows = [stream.of(plane).permutation(cells)[: math.prod(geometry.source)] for plane in planes]
    return np.stack(rows).reshape(given.shape).astype(given.dtype)


def companions(making: Making) -> dict[str, Array]:
    spec, geometry = making.spec, making.geometry
    pooled, unpooled = geometry.source, geometry.result
    if spec.is_gradient:
        pooled, unpooled = unpooled, pooled
    shape = (*making.batch, *pooled)
    argument = next(argument for argument in spec.inputs if argument.holds == "indices")
    repeat = making.fill.endswith(PLACES[1])
    share = _planes_alike(making)
    stream = making.stream(argument.python_name)
    places = _places(stream, making.batch, math.prod(pooled), math.prod(unpooled), repeat, share)
    tensors: dict[str, Array] = {}
    for other in spec.inputs:
        if other.holds == "shape" and other.kind == "tensor":
            tensors[other.python_name] = unread(making, making.stream(other.python_name), shape)
    tensors[argument.python_name] = places.reshape(shape).astype(argument.dtypes[0])
    return tensors


def _planes_alike(making: Making) -> int:
    """How many neighbouring channels hold parts of one code, and so need the same indices."""
    if making.fill == "impulse":
        return making.batch[-1]
    return digit_count(math.prod(making.geometry.source), making.dtype) if making.fill.startswith("coded") else 1


def _places(
    stream: Stream, batch: tuple[int, ...], count: int, cells: int, repeat: bool, share: int
) -> NDArray[np.int64]:
    """(planes, count) places. ``share`` neighbouring channels have the same ones: they hold the digits of one code."""
    planes = []
    drawn: dict[tuple[int, ...], NDArray[np.int64]] = {}
    for plane in np.ndindex(*batch):
        group = (*plane[:-1], plane[-1] // share)
        if group not in drawn:
            drawn[group] = _plane_places(stream.of(len(drawn)), count, cells, repeat)
        planes.append(drawn[group])
    return np.stack(planes)


def _plane_places(stream: Stream, count: int, cells: int, repeat: bool) -> NDArray[np.int64]:
    """The first and the last cell are always among them: the borders of the plane."""
    if repeat:
        places = stream.integers(0, cells - 1, (count,))
    else:
        inner = 1 + stream.permutation(max(cells - 2, 0)) if cells > 2 else np.arange(0)
        places = np.concatenate(([0, cells - 1][:cells], inner))[:count]
        places = places[stream.of(stream.purpose + 2**32).permutation(len(places))]
    if repeat and count > 1:
        places[0], places[-1] = cells - 1, 0
    return places


def _geometry(spec: OpSpec, row: Row) -> Geometry:
    small, large = cut(spec, row.small, row.name), cut(spec, row.large, row.name)
    return oriented(spec, replace(row, small=small, large=large), (1,) * len(small), {})


FAMILY = Family(
    geometries=geometries,
    arguments=arguments,
    described=described,
    entry=entry_of,
    draw=draw,
    fills=fills,
    flowing=values,
    companions=companions,
    legal_indices=legal_indices,
    torch_name="torch.nn.functional.max_unpool{axes}d",
)
