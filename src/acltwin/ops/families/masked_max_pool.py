"""Max pooling whose second result is the device's mask, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from acltwin.ops.families import rules
from acltwin.ops.families.docs import OUTSIDE, PAIR, document
from acltwin.ops.families.max_pool import MaxPool
from acltwin.ops.families.pooling import LONG, PASSED, window_doc
from acltwin.ops.families.rules import Violation
from acltwin.ops.spec import ARRAY, NULL_POINTER, Argument, OpSpec, Rule, Sample, TensorCase

_MASK = """bytes, [N,] C, kernel cells, (ceil(windows / 16) + 1) * 32. They begin with the int32 indices of the \
maxima of all planes, one after the other; the rest is not written, in a new array 0. With a kernel of one cell, the \
words of 16 bits that stand for a window have all bits set instead."""

_FORWARD_DOC = """{count}-D max pooling with the mask that the device makes.

Each window keeps its maximum. Of equal values the first one in C order is meant, and a NaN is larger than everything.
Use :func:`acltwin.max_pool{count}d_with_indices` unless you want the device's bytes.

    input: the tensor to pool, {shapes}; floats, integers of up to 64 bits or bool.
    kernel_size, stride, padding, dilation: {window}

    The maxima, an array of the same kind and dtype as ``input``, and the mask: {mask}

>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> maxima, mask = {name}(image, {two}, None, 0, 1, False)
>>> maxima.ravel().tolist(), mask.ravel().view(np.int32)[:2].tolist()
([5.0, 7.0], [1, 2])
"""
_GRADIENT_DOC = """Gradient of {count}-D max pooling, from the mask that the device makes.

The gradient of each maximum is added where the mask says that it was; where windows overlap, several gradients meet.
All other cells are 0.

    grad_output: gradient of the pooled tensor, {shapes}; {floats}.
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: the mask of the forward pass: {mask}
    kernel_size, stride, padding, dilation: {window}

    The gradient of ``input``, an array of the same kind, shape and dtype.

>>> pooled_grad = np.array([5.0, 7.0], np.float32).reshape({ones}, 2)
>>> mask = np.zeros((1, 1, 2, 64), np.int8)
>>> mask.flat[[0, 4]] = 1, 2
>>> image = np.zeros(({ones}, 4), np.float32)
>>> {name}(pooled_grad, image, mask, {two}, None, 0, 1, False).ravel().tolist()
[0.0, 5.0, 7.0, 0.0]
"""


@dataclass(frozen=True)
class MaskedMaxPool(MaxPool):
    """The two operators of some axes. Their rules about windows are those of pooling with indices."""

    plane_limited: bool = False  # the mask is

    @property
    def traits(self) -> dict[str, Any]:
        return {"family": "masked_pool", "data_formats": self.orders[:1], "planewise": False}

    def mask(self, pooled: TensorCase, taps: int, *values: int) -> TensorCase:
        """That of pooling to this tensor; ``values`` are its first bytes."""
        batch = pooled.shape[: -self.count]
        row = (-(-prod(pooled.shape[len(batch) :]) // 16) + 1) * 32
        shape = (*batch, taps, row)
        return TensorCase("int8", shape, values=(*values, *[0] * (prod(shape) - len(values))) if values else None)

    @property
    def places(self) -> TensorCase:
        return self.mask(self.pooled, 2**self.count)

    @property
    def outside(self) -> tuple[float, ...]:
        return self.mask(self.pooled, 2**self.count, prod(self.source.shape[2:])).values or ()

    def indices(self, like: Argument, was: str, ending: str) -> Argument:
        doc = f"The device's mask: [N,] C, kernel cells, bytes; they begin with int32 indices{ending}"
        plain = Argument("indices", "tensor", doc, self.places, formats=("ND",), ranks=like.ranks, holds="mask")
        return replace(plain, dtypes=("int8",))

    def alike(self, index: Argument) -> tuple[Argument, ...]:
        return ()

    def format_rules(self, source: Argument, index: Argument, *others: Argument) -> tuple[Rule, ...]:
        return rules.known_format(source, self.orders[1]), *super().format_rules(source, index, *others)

    def dilation_one(self, *planes: Argument) -> Rule:
        return Rule("dilation_is_one", "dilation must be 1.", {"dilation": self.cut(1, 2, 1)}, shared="pool")

    def place_rules(self, huge_plane: Violation, *pooled: Argument) -> tuple[Rule, ...]:
        return ()

    @property
    def bytes_rules(self) -> tuple[Rule, ...]:
        long, window = LONG[self.count], self.window_of((8, *self.sizes(1)[1:]), 1, 0)
        violation = {"self": self.huge(*long, batch=(1, 2**30)), **window}
        sentence = "indices must have fewer than 2^63 bytes."
        return (Rule("indices_bytes", sentence, violation, ARRAY, shared="max_pool_mask"),)

    def index_rules(self, index: Argument, pooled: Argument, huge_plane: Violation) -> tuple[Rule, ...]:
        plane = "self's plane must have at most 2^31 - 1 cells: the mask holds int32 indices."
        shape = "indices must be [N,] C, the kernel's cells, (ceil(windows / 16) + 1) * 32."
        huge = {**huge_plane, "padding": self.sizes(0)}
        sizes = (*self.places.shape[1:], 1)
        apart = tuple(2 * prod(sizes[i:]) for i in range(len(sizes)))
        return (
            Rule("plane_cells", plane, huge, shared="max_pool_mask"),
            Rule("indices_shape", shape, rules.reshaped(rules.wider, index), shared="max_pool_mask"),
            rules.contiguous(index, apart),
        )

    def masking(self, c_name: str, *samples: Sample) -> OpSpec:
        spec = self.forward(c_name, *samples)
        doc = document(self, _FORWARD_DOC, out=PAIR, window=window_doc(), mask=_MASK)
        return replace(
            spec,
            summary=f"{self.count}-D max pooling by the device's mask: the maximum of each window, and the mask.",
            formula="out[n,c,j] = max of self[n,c,i] over the cells i of window j; "
            "indices begins with the first i that has it, as int32",
            native="max_pool_mask",
            aten="",
            doc=doc.replace("{name}", spec.name),
        )

    def masking_gradient(self, c_name: str, *samples: Sample) -> OpSpec:
        spec = self.gradient(c_name, *samples)
        raises = OUTSIDE.replace("index", "index in the mask")
        doc = document(self, _GRADIENT_DOC, raises=raises, window=window_doc(PASSED, "was"), mask=_MASK)
        length = spec.rule("kernel_size_length")
        slip = replace(length, id="kernel_size_length_device", judges=("device",), code=NULL_POINTER)
        own_rules = [replace(length, judges=("array", "documented")) if rule is length else rule for rule in spec.rules]
        own_rules.insert(own_rules.index(spec.rule("tensor_shape")) + 1, slip)
        return replace(
            spec,
            summary=f"Gradient of {self.count}-D max pooling by the device's mask: each gradient is added where its "
            "window's maximum was.",
            formula="gradInput = 0, then gradInput[n,c,i] += gradOutput[n,c,j] for ascending j, i the index in indices",
            rules=tuple(own_rules),
            planned_in="max_pool_mask_backward",
            aten="",
            doc=doc.replace("{name}", spec.name),
        )


IMAGES = MaskedMaxPool(
    "HW",
    socs=("Ascend910_93", "Ascend910B", "Ascend910"),
    formats=("NCHW", "ND", "NCL"),
    channels_needed=True,
    lacking=(("Ascend910", "bfloat16"),),
)
"""As the 2-D operators have it."""
