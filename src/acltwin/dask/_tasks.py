"""What runs on a worker: one call of an array function on the chunks of its tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin import _core
from acltwin.dask._worker import settle

Chunk = NDArray[Any]
Place = tuple[slice, ...]
"""Where a chunk lies in the whole array."""


def plain(*chunks: Chunk, operator: str, arguments: Sequence[Any]) -> Any:
    """For operators whose arguments say nothing about N and C."""
    settle()
    return _core.run_inferred(operator, *chunks, *arguments)


def upsample_backward(
    grad_out: Chunk, *, operator: str, arguments: Sequence[Any], channel_axis: int, plane: tuple[int, ...]
) -> Any:
    """input_size is the chunk's own: its N and C, and the plane of the whole result."""
    output_size, _, *others = arguments
    input_size = (grad_out.shape[0], grad_out.shape[channel_axis], *plane)
    return plain(grad_out, operator=operator, arguments=(output_size, input_size, *others))


def unpool(input: Chunk, indices: Chunk, place: Place, *, operator: str, arguments: Sequence[Any]) -> Any:
    with positions_of_the_whole(place):
        return plain(input, indices, operator=operator, arguments=arguments)


def index_backward(
    grad_output: Chunk, indices: Chunk, place: Place, *, operator: str, arguments: Sequence[Any], plane: tuple[int, ...]
) -> Any:
    """Of `input` only shape and dtype count, so a stand-in without memory does: it is neither loaded nor sent."""
    unread = np.broadcast_to(np.zeros((), grad_output.dtype), (*grad_output.shape[:-3], *plane))
    with positions_of_the_whole(place):
        return plain(grad_output, unread, indices, operator=operator, arguments=arguments)


@contextmanager
def positions_of_the_whole(place: Place) -> Iterator[None]:
    """The array function counts a bad index's position in the chunk; users count in the whole array."""

    def shifted(position: re.Match[str]) -> str:
        places = zip(position[1].split(", "), place, strict=True)
        return f"indices[{', '.join(str(int(number) + along.start) for number, along in places)}]"

    try:
        yield
    except IndexError as error:
        raise IndexError(re.sub(r"indices\[([\d, ]+)\]", shifted, str(error), count=1)) from None
