"""Wrong pooling of special kinds, beside what any pooling has: values alone, to a given size, and with masks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from acltwin.golden.cases import masks
from acltwin.golden.cases.masks import ARRANGEMENTS, BITS, PLAIN, Arrangement, Bits
from acltwin.golden.wrong.basics import Array, Call, Places
from acltwin.golden.wrong.catalogue import KERNELS, Catalogue, Kernel, Result, forward, gradient
from acltwin.golden.wrong.pool import index_in_window
from acltwin.golden.wrong.pool_kernel import Axis, either, plain, pool
from acltwin.ops import OPERATORS

Pads = tuple[int, ...]

# ---- values alone, with padding of two sides ----
sides = Catalogue("plain_pool")


def padded(change: Callable[[Pads, Pads], tuple[Pads, Pads]], **parts: Any) -> Kernel:
    """Other padding before and behind, in as many windows."""

    def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
        given: Any = arguments["pads"]
        before = change(tuple(given[:2]), tuple(given[2:]))[0]
        return plain(operator, tensors, arguments, together=partial(replaced, before), **parts)

    return run


def replaced(before: Pads, axes: list[Axis]) -> list[Axis]:
    d, h, w = axes
    return [d, replace(h, padding=before[0]), replace(w, padding=before[1])]


sides.of("layout")("pads_behind_first", "Takes the padding behind for that before.", whole=padded(lambda b, e: (e, b)))
sides.of("layout")(
    "pads_axis_by_axis",
    "Takes pads for both sides of H, then both sides of W.",
    whole=padded(lambda b, e: ((b[0], e[0]), (b[1], e[1]))),
)
sides.of("border")(
    "pads_of_both_sides", "Takes the sum of both sides.", whole=padded(lambda b, e: ((b[0] + e[0], b[1] + e[1]), e))
)
sides.of("initialisation")("padding_alone_is_zero", "Gives 0 for windows of padding alone.", nothing=0.0)


# ---- to a given size ----
def _shared(**changes: Any) -> dict[str, Any]:
    """Other windows; a gradient finds the maxima again in them."""
    return {"geometry": lambda axis: replace(axis, **changes)}


adaptive = Catalogue("adaptive_pool", when=forward)
shares, ends = adaptive.of("index rule"), adaptive.of("border")
shares("windows_rounded_down", "Rounds the ends of windows down, too.", **_shared(round_end=math.floor))
shares("windows_rounded_up", "Rounds the beginnings of windows up, too.", **_shared(round_start=math.ceil))
shares("windows_to_nearest", "Rounds the ends of windows to nearest.", **_shared(round_end=lambda end: int(end + 0.5)))
shares(
    "windows_of_one_size",
    "Takes windows of one size, the ratio rounded up, that begin at multiples of the ratio rounded down.",
    geometry=lambda axis: replace(axis, shared=False, stride=axis.stride if axis.cells >= axis.windows else 1),
)
ends(
    "window_end_lost",
    "Leaves out the last cell of every window that has several.",
    **_shared(round_end=lambda end: math.ceil(end) - 1),
)
ends(
    "window_end_included",
    "Takes one cell behind every window, too.",
    **_shared(round_end=lambda end: math.floor(end) + 1),
)


@shares.geometry()
def apart(axis: Axis) -> Axis:
    """Lets windows begin where the one before ends, so that none overlap."""
    return Apart(**vars(axis))


class Apart(Axis):
    @property
    def starts(self) -> Places:
        return np.asarray(np.minimum(np.append(0, super().ends[:-1]), self.cells - 1))


@adaptive.of("layout").together()
def sizes_h_and_w_swapped(axes: list[Axis]) -> list[Axis]:
    """Shares H among the windows along W, and W among those along H."""
    d, h, w = axes
    return [d, Ratio(**vars(h), other=w), Ratio(**vars(w), other=h)]


@dataclass(frozen=True)
class Ratio(Axis):
    """Windows as far apart as those of another axis."""

    other: Axis | None = None

    @property
    def starts(self) -> Places:
        assert self.other is not None
        number = np.arange(self.windows)
        return np.minimum(number * self.other.cells // self.other.windows, self.cells - 1)

    @property
    def ends(self) -> Places:
        assert self.other is not None
        number = np.arange(1, self.windows + 1)
        return np.clip(-(-number * self.other.cells // self.other.windows), self.starts + 1, self.cells)


# ---- with masks: what can be wrong in the mask alone ----
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
