"""Max pooling whose second result is the device's mask, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from acltwin.ops._rules import Violation, contiguous_rule, format_rule
from acltwin.ops.families.axes import wider
from acltwin.ops.families.max_pool import LONG, MaxPool
from acltwin.ops.spec import ARRAY, NULL_POINTER, Argument, OpSpec, Rule, Sample, TensorCase, Value

_MASK = """bytes, [N,] C, kernel cells, (ceil(windows / 16) + 1) * 32. They begin with the int32 indices of the \
maxima of all planes, one after the other; the rest is not written, in a new array 0. With a kernel of one cell, the \
words of 16 bits that stand for a window have all bits set instead."""

_FORWARD_DOC = """{count}-D max pooling with the mask that the device makes.

Each window keeps its maximum. Of equal values the first one in C order is meant, and a NaN is larger than everything.
Use :func:`acltwin.max_pool{count}d_with_indices` unless you want the device's bytes.

Args:
    input: the tensor to pool, {shapes}; floats, integers of up to 64 bits or bool.
    {window}
    out: where to write the results, instead of new arrays: a pair of arrays.

Returns:
    The maxima, an array of the same kind and dtype as ``input``, and the mask: {mask}

>>> import numpy as np
>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> maxima, mask = {name}(image, {kernel}, None, 0, 1, False)
>>> maxima.ravel().tolist(), mask.ravel().view(np.int32)[:2].tolist()
([5.0, 7.0], [1, 2])
"""
_GRADIENT_DOC = """Gradient of {count}-D max pooling, from the mask that the device makes.

The gradient of each maximum is added where the mask says that it was; where windows overlap, several gradients meet.
All other cells are 0.

Args:
    grad_output: gradient of the pooled tensor, {shapes}; float32, float16, bfloat16 (summed in float32) or float64.
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: the mask of the forward pass: {mask}
    {window}
    out: where to write the result, instead of a new array.

Returns:
    The gradient of ``input``, an array of the same kind, shape and dtype.

Raises:
    IndexError: an index in the mask lies outside its plane; the message names its position and value.

>>> import numpy as np
>>> pooled_grad = np.array([5.0, 7.0], np.float32).reshape({ones}, 2)
>>> mask = np.zeros((1, 1, 2, 64), np.int8)
>>> mask.flat[[0, 4]] = 1, 2
>>> image = np.zeros(({ones}, 4), np.float32)
>>> {name}(pooled_grad, image, mask, {kernel}, None, 0, 1, False).ravel().tolist()
[0.0, 5.0, 7.0, 0.0]
"""


@dataclass(frozen=True)
class MaskedMaxPool(MaxPool):
    """The two operators of some axes. Their rules about windows are those of pooling with indices."""

    plane_limited: bool = False  # the mask is

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
    def _outside(self) -> TensorCase:
        return self.mask(self.pooled, 2**self.count, prod(self.source.shape[2:]))

    def _changed(self, indices: dict[str, TensorCase]) -> dict[str, TensorCase]:
        return {}

    def _indices(self, like: Argument, was: str, ending: str) -> Argument:
        doc = f"The device's mask: [N,] C, kernel cells, bytes; they begin with int32 indices{ending}"
        return Argument("indices", "tensor", doc, dtypes=("int8",), formats=("ND",), ranks=like.ranks, holds="mask")

    def _format_rules(self, *results: tuple[str, TensorCase]) -> tuple[Rule, ...]:
        source = self._tensor_argument("self", "")
        return format_rule(source, self.source.but(format=self.orders[1])), *super()._format_rules(*results)

    def _dilation_one(self, *alike: str) -> Rule:
        return Rule("dilation_is_one", "dilation must be 1.", {"dilation": self.cut(1, 2, 1)}, shared="pool")

    def _place_rules(self, flat: Violation, huge_plane: Violation) -> tuple[Rule, ...]:
        return ()

    @property
    def _bytes_rules(self) -> tuple[Rule, ...]:
        long, one = LONG[self.count], self.cut(1, 1, 1)
        window: dict[str, Value] = {"kernelSize": (8, *one[1:]), "stride": one, "padding": self.cut(0, 0, 0)}
        violation = {"self": self.huge(*long).but(shape=(1, 2**30, *long)), **window}
        sentence = "indices must have fewer than 2^63 bytes."
        return (Rule("indices_bytes", sentence, violation, ARRAY, shared="max_pool_mask"),)

    def _index_rules(self, pooled: str, huge_plane: Violation) -> tuple[Rule, ...]:
        plane = "self's plane must have at most 2^31 - 1 cells: the mask holds int32 indices."
        shape = "indices must be [N,] C, the kernel's cells, (ceil(windows / 16) + 1) * 32."
        huge = {**huge_plane, "padding": self.cut(0, 0, 0)}
        sizes = (*self.places.shape[1:], 1)
        apart = tuple(2 * prod(sizes[i:]) for i in range(len(sizes)))
        return (
            Rule("plane_cells", plane, huge, shared="max_pool_mask"),
            Rule("indices_shape", shape, {"indices": wider(self.places)}, shared="max_pool_mask"),
            contiguous_rule("indices", self.places.but(strides=apart)),
        )

    def _masked(self, spec: OpSpec, samples: tuple[Sample, ...], **fields: Any) -> OpSpec:
        """With the mask for the indices; what they have in common is judged by the same functions."""
        native = f"max_pool{'_backward' * spec.is_gradient}"
        rules = tuple(rule if rule.check or rule.shared else replace(rule, shared=native) for rule in spec.rules)
        masked = f"max_pool_mask{'_backward' * spec.is_gradient}"
        fields = {"samples": samples, "family": "masked_pool", "native": masked, "planewise": False, **fields}
        return replace(spec, rules=rules, **fields)

    @property
    def _traits(self) -> dict[str, Any]:
        return {"axes": self.axes, "lone_axis": "C", "data_formats": self.orders[:1]}

    def masking(self, name: str, c_name: str, header: str, partner: str, samples: tuple[Sample, ...]) -> OpSpec:
        return self._masked(
            self.forward(name, c_name, header, partner, ""),
            samples,
            summary=f"{self.count}-D max pooling by the device's mask: the maximum of each window, and the mask.",
            formula="out[n,c,j] = max of self[n,c,i] over the cells i of window j; "
            "indices begins with the first i that has it, as int32",
            doc=self._doc(_FORWARD_DOC, name, "", "is", _MASK),
        )

    def masking_gradient(
        self, name: str, c_name: str, header: str, partner: str, samples: tuple[Sample, ...]
    ) -> OpSpec:
        spec = self.gradient(name, c_name, header, partner, "")
        length = spec.rule("kernel_size_length")
        slip = replace(length, id="kernel_size_length_device", judges=("device",), code=NULL_POINTER)
        documented = replace(length, judges=("array", "documented"))
        rules = [documented if rule is length else rule for rule in spec.rules]
        first = next(place for place, rule in enumerate(rules) if rule.id == "tensor_shape") + 1
        return self._masked(
            replace(spec, rules=(*rules[:first], slip, *rules[first:])),
            samples,
            summary=f"Gradient of {self.count}-D max pooling by the device's mask: each gradient is added where its "
            "window's maximum was.",
            formula="gradInput = 0, then gradInput[n,c,i] += gradOutput[n,c,j] for ascending j, i the index in indices",
            doc=self._doc(_GRADIENT_DOC, name, "those of the forward pass, ", "was", _MASK),
        )
