"""Wrong max pooling with masks: what can be wrong in the mask alone. All mistakes of max pooling come in addition."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from acltwin.golden.cases import masks
from acltwin.golden.cases.masks import ARRANGEMENTS, BITS, PLAIN, Arrangement, Bits
from acltwin.golden.wrong.arithmetic import Array, Places
from acltwin.golden.wrong.call import Call
from acltwin.golden.wrong.catalogue import KERNELS, Catalogue, Result, forward, gradient
from acltwin.golden.wrong.pool import index_in_window
from acltwin.golden.wrong.pool_kernel import either, pool
from acltwin.ops import OPERATORS

_right = KERNELS["masked_pool"]
written, read = (Catalogue("masked_pool", when=when) for when in (forward, gradient))


def _one_cell(mask: Array) -> bool:
    return bool(mask.shape[-2] == 1)


def _lifted(mask: Array) -> Array:
    return mask if mask.ndim == 4 else mask[None]


def _written(
    arrangement: Arrangement,
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, Any],
    one_cell: bool = False,
) -> Result:
    """Indices in an arrangement, where the kernel has one cell or where it has more."""
    values, mask = _right(operator, tensors, arguments)
    if _one_cell(mask) == one_cell:
        _, places = either(masks.without_mask(OPERATORS[operator]).name, tensors, arguments)
        other = np.zeros_like(_lifted(mask))
        arrangement.write(places.reshape(*other.shape[:2], -1).astype(np.int64), other)
        mask = other.reshape(mask.shape)
    return values, mask


def _read(
    arrangement: Arrangement,
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, Any],
    one_cell: bool = False,
) -> Result:
    mask = _lifted(tensors["indices"])
    if _one_cell(mask) != one_cell:
        return _right(operator, tensors, arguments)

    def places(right: Places, call: Call) -> Places:
        return arrangement.read(mask, (*right.shape[:2], math.prod(right.shape[2:]))).reshape(right.shape)

    return _right(operator, tensors, arguments, places=places)


def _other_bits(bits: Bits, operator: str, tensors: dict[str, Array], arguments: dict[str, Any]) -> Result:
    values, mask = _right(operator, tensors, arguments)
    if _one_cell(mask):
        words = masks.words_of(mask, len(OPERATORS[operator].axes), values.shape)
        words[...] = bits.change(words.copy())
    return values, mask


for one in ARRANGEMENTS:
    name = one.name.replace(" ", "_")
    written.of("layout")(f"writes_{name}", f"Writes indices {one.word}.", whole=partial(_written, one))
    read.of("layout")(f"reads_{name}", f"Takes indices for {one.word}.", whole=partial(_read, one))
for bits in BITS:
    sentence = f"{bits.sentence[0].upper()}{bits.sentence[1:]}."
    written.of("layout")(bits.name.replace(" ", "_"), sentence, whole=partial(_other_bits, bits))


written.of("layout")(
    "indices_of_one_cell",
    "Writes indices even if the kernel has one cell.",
    whole=partial(_written, PLAIN, one_cell=True),
)
read.of("layout")(
    "bits_read_as_indices", "Reads indices even if the kernel has one cell.", whole=partial(_read, PLAIN, one_cell=True)
)


@written.of("layout").whole()
def bits_of_every_kernel(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    """Sets a bit for the cell of every window that has the maximum, whatever the kernel."""
    spec = OPERATORS[operator]
    values, mask = _right(operator, tensors, arguments)
    _, taps = pool(masks.without_mask(spec).name, tensors, arguments, place=index_in_window)
    batch, channels, cells, row = _lifted(mask).shape
    numbers = taps.reshape(batch, channels, 1, -1)
    words = np.zeros((batch, -(-channels // masks.WORD), cells, row // 2), np.uint16)
    for channel in range(channels):
        won = numbers[:, channel] == np.arange(cells)[:, None]
        bit = won.astype(np.uint16) << np.uint16(channel % masks.WORD)
        words[:, channel // masks.WORD, :, : won.shape[-1]] |= bit
    other = np.zeros(mask.size, np.int8)
    other[: words.nbytes] = words.view(np.int8).reshape(-1)[: mask.size]
    return values, other.reshape(mask.shape)
