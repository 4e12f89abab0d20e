"""What can be wrong in the mask of max pooling alone."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from acltwin.golden.cases import masks
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.masks import ARRANGEMENTS, BITS, PLAIN, Arrangement, Bits
from acltwin.golden.causes.indexing import Places, reindexed
from acltwin.golden.causes.model import Catalogue, Maxima, Model, Prediction, model
from acltwin.golden.causes.view import View
from acltwin.ops.spec import OpSpec

masked_pool = Catalogue("masked_pool")


@masked_pool.cause(
    "The bytes of the mask are arranged in another way",
    looks="Values are right, and indices look like other numbers, or belong to other planes; gradients arrive nowhere "
    "or in the wrong cells. Only with a kernel of one cell, or only with larger ones.",
    arises="The mask begins with the int32 indices of all planes, one behind the other, though its shape has a row for "
    "every channel and cell of the kernel. Only a kernel of one cell has bits: 16 channels in a word, rows of whole "
    "blocks of 16 words, and one block more.",
    wrong="int32_t *row = mask + channel * taps * row_bytes;",
    right="int32_t *row = (int32_t *)mask + channel * windows;",
    fix="Write indices behind each other over the whole mask; compare it with that of acltwin for two batches, several "
    "channels and more than 16 of them.",
)
def arrangement(spec: OpSpec) -> Iterator[Model]:
    for one in ARRANGEMENTS:
        predict = _read if spec.is_gradient else _written
        yield model(one.name, "layout", f"indices are {one.word}", predict, one, documented="int32, one by one")
    name, sentence = "indices of one cell", "a kernel of one cell is not told apart: its mask holds indices, not bits"
    yield model(name, "layout", sentence, _never_bits)
    for bits in () if spec.is_gradient else BITS:
        yield model(bits.name, "layout", bits.sentence, _other_bits, bits)


def _is_one_cell(view: View) -> bool:
    return masks.shape_of(view.spec, (*view.batch, *view.source), view.arguments)[-2] == 1


def _parts(view: View) -> tuple[int, int, int]:
    """N, C and windows."""
    windows = view.source if view.spec.is_gradient else view.result
    return (*view.batches, math.prod(windows))


def _mask(view: View, places: Places) -> Array:
    shape = (*view.batches, *(view.source if view.spec.is_gradient else view.result))
    plane = view.result if view.spec.is_gradient else view.source
    return masks.mask_of(view.spec, places.reshape(shape), plane, view.arguments)


def _read(view: View, one: Arrangement) -> Prediction:
    if _is_one_cell(view):
        return None
    return reindexed(view, one.read(_mask(view, view.indices), _parts(view)).reshape(view.indices.shape))


def _maxima(view: View, found: Places) -> Maxima:
    indices = view.documented.indices
    assert indices is not None
    laid = found.reshape(indices.shape).astype(indices.dtype)
    return Maxima(view.exactly_shaped(view.documented.value), laid, np.zeros(laid.shape, bool))


def _found(view: View) -> Places:
    assert view.documented.indices is not None
    return view.documented.indices.astype(np.int64).reshape(_parts(view))


def _written(view: View, one: Arrangement) -> Prediction:
    if _is_one_cell(view):
        return None
    mask = np.zeros_like(_mask(view, _found(view)))
    one.write(_found(view), mask)
    return _observed(view, mask)


def _never_bits(view: View) -> Prediction:
    if not _is_one_cell(view):
        return None
    if view.spec.is_gradient:
        return reindexed(view, PLAIN.read(_mask(view, view.indices), _parts(view)).reshape(view.indices.shape))
    mask = np.zeros_like(_mask(view, _found(view)))
    PLAIN.write(_found(view), mask)
    return _observed(view, mask)


def _other_bits(view: View, bits: Bits) -> Prediction:
    if not _is_one_cell(view):
        return None
    mask = _mask(view, _found(view))
    words = masks.words_of(mask, view.axes, view.documented.value.shape)
    words[...] = bits.change(words.copy())
    return _observed(view, mask)


def _observed(view: View, mask: Array) -> Maxima:
    """What is seen in a mask."""
    outputs = [view.documented.value, mask]
    return _maxima(view, masks.found_indices(view.spec, view.tensors, view.arguments, outputs)[1].astype(np.int64))
