"""Max unpooling and its gradient with every part replaceable; unless one is replaced, the result is right."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from acltwin.golden.mutants._arithmetic import Array, Places, Total, last_wins
from acltwin.golden.mutants._call import Alter, Call, Read, flat_planes, parse, unchanged


def unpool(
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, object],
    *,
    places: Callable[[Places, Call], Places] = lambda places, call: places,
    read: Read = unchanged,
    total: Total = last_wins,
    alter: Alter = unchanged,
) -> Array:
    """Both directions; ``places`` changes the indices (N, C, ...), and those outside the plane lose their element.

    ``total`` says what becomes of several elements at one place; the gradient has no use for it.
    """
    call = parse(operator, tensors, arguments)
    assert call.indices is not None
    size = output_size(call)
    cells = math.prod(size)
    values, named = flat_planes(read(call.values, call)), flat_planes(places(call.indices, call))
    kept = (named >= 0) & (named < cells)
    if call.spec.is_gradient:
        fetched = np.take_along_axis(values, np.where(kept, named, 0), axis=1)
        result = np.where(kept, fetched, np.zeros(1, values.dtype)).reshape(call.indices.shape)
    else:
        everywhere = named + cells * np.arange(len(named))[:, None]
        planes = total(values[kept], everywhere[kept], len(named) * cells)
        result = planes.reshape(*call.batch, *size)
    return call.restored(alter(result.astype(call.raw.dtype), call))


def output_size(call: Call) -> tuple[int, ...]:
    """D, H, W of the plane that the indices name places in."""
    return tuple(int(size) for size in call.arguments["output_size"])
