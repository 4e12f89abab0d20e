"""Max unpooling and its gradient with every part replaceable; unless one is replaced, the result is right."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.wrong.arithmetic import Array, Total, last_wins
from acltwin.golden.wrong.call import Alter, Read, Renumber, everywhere, flat_planes, parse, unchanged


def unpool(
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, object],
    *,
    places: Renumber = lambda places, call: places,
    read: Read = unchanged,
    total: Total = last_wins,
    alter: Alter = unchanged,
) -> Array:
    """Both directions; ``places`` changes the indices (N, C, ...), and those outside the plane lose their element.

    ``total`` says what becomes of several elements at one place; the gradient has no use for it.
    """
    call = parse(operator, tensors, arguments)
    assert call.indices is not None
    cells = math.prod(call.plane)
    values, named = flat_planes(read(call.values, call)), flat_planes(places(call.indices, call))
    kept = (named >= 0) & (named < cells)
    if call.spec.is_gradient:
        fetched = np.take_along_axis(values, np.where(kept, named, 0), axis=1)
        result = np.where(kept, fetched, np.zeros(1, values.dtype)).reshape(call.indices.shape)
    else:
        planes = total(values[kept], everywhere(named, cells)[kept], len(named) * cells)
        result = planes.reshape(*call.batch, *call.plane)
    return call.restored(alter(result.astype(call.raw.dtype), call))
