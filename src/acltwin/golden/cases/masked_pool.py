"""Max pooling with the device's mask: cases of max pooling, as far as nothing is dilated, and kernels of one cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acltwin.golden.cases import masks, pool
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import Geometry
from acltwin.golden.cases.fills import Making
from acltwin.golden.cases.streams import Stream
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

_ONE, _NONE = (1, 1, 1), (0, 0, 0)
_POINTS: tuple[pool._Row, ...] = (
    ("points", (2, 3), (1, 5, 7), _ONE, (1, 2, 3), _NONE, _ONE, False, "quick", ("index rule", "layout")),
    ("points18", (2, 18), (1, 5, 7), _ONE, _ONE, _NONE, _ONE, False, "default", ("index rule", "layout", "tiling")),
)


def geometries(spec: OpSpec) -> tuple[Geometry, ...]:
    rows = [
        (*row[:8], "default" if row[0] == "ceil" else row[8], row[9]) for row in pool.window_rows() if row[6] == _ONE
    ]
    return pool.geometries(spec, [*rows, *_POINTS])


def described(spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
    geometry = pool.described(spec, entry, name, where)
    if max(geometry.parameters["dilation"]) > 1:
        raise ValueError(f"{where}: dilation is {short(entry['dilation'])}; expected 1: masks know no other")
    return geometry


def companions(making: Making) -> dict[str, Array]:
    """The indices that max pooling finds, in a mask."""
    made = pool.companions(replace(making, spec=masks.without_mask(making.spec)))
    if "indices" not in made:
        return made
    geometry = making.geometry
    mask = masks.mask_of(making.spec, made["indices"], geometry.result, geometry.parameters)
    return {**made, "indices": mask}


def draw(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    return {**pool.draw(draw, spec), "dilation": 1}


def legal_indices(
    spec: OpSpec, geometry: Geometry, tensors: Mapping[str, Array], arguments: Mapping[str, Any], stream: Stream
) -> Array:
    given = masks.given_indices(spec, tensors, arguments)
    found = pool.legal_indices(masks.without_mask(spec), geometry, given, arguments, stream)
    return masks.mask_of(spec, found, geometry.result, arguments)


FAMILY = replace(
    pool.FAMILY,
    geometries=geometries,
    described=described,
    companions=companions,
    draw=draw,
    legal_indices=legal_indices,
    mistakes="pool",
)
