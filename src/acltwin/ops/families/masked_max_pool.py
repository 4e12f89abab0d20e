"""Max pooling whose second result is the device's mask, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from acltwin.ops._rules import (
    contiguous_rule,
    dtype_rule,
    format_rule,
    null_rules,
    rank_rule,
    same_dtype_rule,
    same_rank_rule,
    same_shape_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import HUGE, lower, unbatched, wider
from acltwin.ops.families.max_pool import LONG, MaxPool
from acltwin.ops.spec import (
    ARRAY,
    KERNEL_EXCEPTION,
    NULL_POINTER,
    Argument,
    CallCase,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
    Value,
)

_MASK = """bytes, [N,] C, kernel cells, (ceil(windows / 16) + 1) * 32. They begin with the int32 indices of the \
maxima of all planes, one after the other; the rest is not written, in a new array 0. With a kernel of one cell, the \
words of 16 bits that stand for a window have all bits set instead."""

_FORWARD_DOC = """{count}-D max pooling with the mask that the device makes.

Each window keeps its maximum. Of equal values the first one in C order is meant, and a NaN is larger than everything.
Use :func:`acltwin.max_pool{count}d_with_indices` unless you want the device's bytes.

Args:
    input: the tensor to pool, {shapes}; float32, float16, bfloat16 or float64.
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
    """The two operators of some axes."""

    def mask(self, pooled: TensorCase, taps: int, *values: int) -> TensorCase:
        """That of pooling to this tensor; ``values`` are its first bytes."""
        batch = pooled.shape[: -self.count]
        row = (-(-prod(pooled.shape[len(batch) :]) // 16) + 1) * 32
        shape = (*batch, taps, row)
        return TensorCase("int8", shape, values=(*values, *[0] * (prod(shape) - len(values))) if values else None)

    @property
    def places(self) -> TensorCase:
        return self.mask(self.pooled, 2**self.count)

    def _indices(self, like: Argument, was: str, ending: str) -> Argument:
        doc = f"The device's mask: [N,] C, kernel cells, bytes; they begin with int32 indices{ending}"
        return Argument("indices", "tensor", doc, dtypes=("int8",), formats=("ND",), ranks=like.ranks, holds="mask")

    def _first_rules(self, arguments: tuple[Argument, ...], tensor: tuple[str, TensorCase]) -> tuple[Rule, ...]:
        return (*null_rules(arguments), *soc_rule(self.socs), tensor_shape_rule(*tensor))

    @property
    def _only_rules(self) -> tuple[Rule, ...]:
        """Of windows; there is no dilation."""
        one = Rule("dilation_is_one", "dilation must be 1.", {"dilation": self.cut(1, 2, 1)}, shared="pool")
        return (*self._window_rules, one)

    def _mask_rules(self, huge: dict[str, Value]) -> tuple[Rule, ...]:
        plane = "self's plane must have at most 2^31 - 1 cells: the mask holds int32 indices."
        shape = "indices must be [N,] C, the kernel's cells, (ceil(windows / 16) + 1) * 32."
        strides = (*self.places.shape[1:], 1)
        apart = tuple(2 * prod(strides[i:]) for i in range(len(strides)))
        return (
            Rule("plane_cells", plane, huge, shared="max_pool_mask"),
            Rule("indices_shape", shape, {"indices": wider(self.places)}, shared="max_pool_mask"),
            contiguous_rule("indices", self.places.but(strides=apart)),
        )

    @property
    def _own_traits(self) -> dict[str, Any]:
        return {
            "socs": self.socs,
            "family": "masked_pool",
            "axes": self.axes,
            "lone_axis": "C",
            "data_formats": self.orders[:1],
            "planewise": False,
        }

    def forward(  # type: ignore[override]
        self, name: str, c_name: str, header: str, partner: str, samples: tuple[Sample, ...]
    ) -> OpSpec:
        source, pooled, places, cut = self.source, self.pooled, self.places, self.cut
        first = self._tensor_argument("self", "The tensor to pool")
        out = replace(first, name="out", doc="The maximum of each window: the first result.", role="output")
        index = replace(self._indices(first, "is", ": the second result."), role="output")
        arguments = (first, *self._window_arguments, out, index)
        one = self.tensor(1, 1, 1)
        huge_plane: dict[str, Value] = {
            "self": self.huge(*HUGE[self.count]),
            "kernelSize": HUGE[self.count],
            "stride": (),
            "padding": self.cut(0, 0, 0),
            "out": one.but(shape=(1, 1, *one.shape[2:])),
        }
        deep = self.huge(*LONG[self.count]).but(shape=(1, 2**30, *LONG[self.count]))
        rules = (
            *self._first_rules(arguments, ("self", source)),
            dtype_rule(first, source.but(dtype="uint32")),
            *self._soc_dtypes(
                first,
                {each: one_of.but(dtype="bfloat16") for each, one_of in (("self", source), ("out", pooled))}
                | {"soc": "Ascend910"},
            ),
            dtype_rule(index, places.but(dtype="int16")),
            same_dtype_rule("out", "self", pooled.but(dtype="float16")),
            format_rule(first, source.but(format=f"N{self.axes}C")),
            *self._format_rules(("out", pooled)),
            rank_rule(first, lower(source)),
            same_rank_rule("out", "self", unbatched(pooled)),
            same_rank_rule("indices", "self", unbatched(places)),
            *self._only_rules,
            *self._size_rules(),
            *self._channel_rule(out=pooled),
            Rule(
                "window_fits",
                "At least one window must fit into self and its padding along each axis.",
                {"kernelSize": (source.shape[2] + 1, *cut(2, 2, 2)[1:]), "stride": cut(2, 2, 2)},
                shared="max_pool",
            ),
            Rule(
                "out_bytes",
                "out must have fewer than 2^63 bytes.",
                {
                    "self": deep,
                    "kernelSize": cut(1, 1, 2),
                    "stride": cut(1, 1, 1),
                    "padding": cut(0, 0, 1),
                },
                ARRAY,
                shared="max_pool",
            ),
            Rule(
                "indices_bytes",
                "indices must have fewer than 2^63 bytes.",
                {"self": deep, "kernelSize": (8, *cut(1, 1, 1)[1:]), "stride": cut(1, 1, 1), "padding": cut(0, 0, 0)},
                ARRAY,
                shared="max_pool_mask",
            ),
            Rule(
                "out_shape",
                "out must have self's N and C, and one cell for each window.",
                {"out": wider(pooled)},
                shared="max_pool",
            ),
            *self._mask_rules(huge_plane),
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            summary=f"{self.count}-D max pooling: the maximum of each window, and the device's mask.",
            formula="out[n,c,j] = max of self[n,c,i] over the cells i of window j; "
            "indices begins with the first i that has it, as int32",
            arguments=arguments,
            valid=CallCase({"self": source, **self.window, "out": pooled, "indices": places}),
            rules=rules,
            samples=samples,
            partner=partner,
            is_gradient=False,
            native="max_pool_mask",
            doc=self._doc(_FORWARD_DOC, name, "", "is", _MASK),
            **self._own_traits,
        )

    def gradient(  # type: ignore[override]
        self, name: str, c_name: str, header: str, partner: str, samples: tuple[Sample, ...]
    ) -> OpSpec:
        source, pooled, places = self.source, self.pooled, self.places
        grad = self._tensor_argument("gradOutput", "Gradient of the pooled tensor")
        shape_only = "Input of the forward pass; its shape and dtype matter, its values are not read."
        first = replace(grad, name="self", doc=shape_only, holds="shape")
        index = self._indices(grad, "was", ".")
        result = replace(grad, name="gradInput", doc="Gradient of self: the result.", role="output")
        arguments = (grad, first, index, *self._window_arguments, result)
        tensors = {"gradOutput": pooled, "self": source, "gradInput": source}
        lengths, *others = self._only_rules
        slip = replace(lengths, id="kernel_size_length_device", judges=("device",), code=NULL_POINTER)
        huge = self.huge(*HUGE[self.count])
        one = self.tensor(1, 1, 1)
        huge_plane: dict[str, Value] = {
            "gradOutput": one.but(shape=(1, 1, *one.shape[2:])),
            "self": huge,
            "kernelSize": HUGE[self.count],
            "stride": (),
            "padding": self.cut(0, 0, 0),
            "gradInput": huge,
        }
        more = pooled.but(shape=(1, 3, *pooled.shape[2:]))
        outside = (prod(source.shape[2:]), 0, 0, 0)
        rules = (
            *self._first_rules(arguments, ("gradOutput", pooled)),
            slip,
            dtype_rule(first, source.but(dtype="int32")),
            *self._soc_dtypes(
                first, {each: case.but(dtype="bfloat16") for each, case in tensors.items()} | {"soc": "Ascend910"}
            ),
            dtype_rule(index, places.but(dtype="int16")),
            same_dtype_rule("gradOutput", "self", pooled.but(dtype="float16")),
            same_dtype_rule("gradInput", "self", source.but(dtype="float16")),
            format_rule(first, source.but(format=f"N{self.axes}C")),
            *self._format_rules(("gradOutput", pooled), ("gradInput", source)),
            rank_rule(grad, lower(pooled)),
            rank_rule(first, lower(source)),
            rank_rule(index, lower(places)),
            rank_rule(result, lower(source)),
            replace(lengths, judges=("array", "documented")),
            *others,
            *self._size_rules("gradInput"),
            *self._channel_rule(gradOutput=pooled, gradInput=source),
            same_shape_rule("gradInput", "self", wider(source)),
            Rule(
                "grad_output_batch",
                "gradOutput must have self's rank, N and C.",
                {"gradOutput": more},
                shared="max_pool_backward",
            ),
            Rule(
                "grad_output_size",
                f"{self.names} of gradOutput must be the numbers of windows over self.",
                {"gradOutput": wider(pooled)},
                shared="max_pool_backward",
            ),
            *self._mask_rules(huge_plane),
            Rule(
                "index_range",
                f"Every index must lie in the plane: 0 <= index < {self.plane} of self.",
                {"indices": self.mask(pooled, 2**self.count, *outside)},
                code=KERNEL_EXCEPTION,
                phase="run",
                raises=IndexError,
            ),
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            summary=f"Gradient of {self.count}-D max pooling by the device's mask: each gradient is added where its "
            "window's maximum was.",
            formula="gradInput = 0, then gradInput[n,c,i] += gradOutput[n,c,j] for ascending j, i the index in indices",
            arguments=arguments,
            valid=CallCase(
                {"gradOutput": pooled, "self": source, "indices": places, **self.window, "gradInput": source}
            ),
            rules=rules,
            samples=samples,
            partner=partner,
            is_gradient=True,
            native="max_pool_mask_backward",
            doc=self._doc(_GRADIENT_DOC, name, "those of the forward pass, ", "was", _MASK),
            **self._own_traits,
        )
