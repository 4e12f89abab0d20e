"""Max pooling to a given size, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from acltwin.ops.families import rules
from acltwin.ops.families.docs import INDEX_FORMAT, PAIR, document
from acltwin.ops.families.family import ints
from acltwin.ops.families.max_pool import INDEX_DTYPE, MaxPool
from acltwin.ops.spec import ACLNN, ARRAY, EVERYWHERE, SOCS, Argument, Check, OpSpec, Rule, Sample, TensorCase, Value

_FORWARD_DOC = """{count}-D max pooling to a given size.

Window ``o`` of an axis covers the cells from ``floor(o * input size / output size)`` up to, but not including,
``ceil((o + 1) * input size / output size)``. Windows overlap where the sizes do not divide. Each keeps its maximum, and
``indices`` says where it is. Of equal values the first one in C order is meant. A NaN is larger than everything,
and of several NaNs the last one gives the index.

    input: the tensor to pool, {shapes}; float32, float16, bfloat16 or float64, integers of up to 64 bits or bool.
    output_size: {names} of the results, or one size for all axes; it may also be larger than the input.
    {index_dtype}

    The maxima, an array of the same kind and dtype as ``input``, and the indices: places in the flattened {plane}
    plane of ``input``.

>>> image = np.array([1, 5, 7, 3, 4], np.float32).reshape({ones}, 5)
>>> maxima, indices = {name}(image, {two})
>>> maxima.ravel().tolist(), indices.ravel().tolist()
([7.0, 7.0], [2, 2])
"""
_EXAMPLE = """>>> image = np.zeros(({ones}, 5), np.float32)
>>> indices = np.array([2, 2]).reshape(pooled_grad.shape)
>>> {name}(pooled_grad, image, indices).ravel().tolist()
[0.0, 0.0, 12.0, 0.0, 0.0]"""


@dataclass(frozen=True)
class AdaptiveMaxPool(MaxPool):
    """The two operators of some axes."""

    index_dtypes: tuple[str, ...] = ("int32", "int64")  # through aclnn
    nd_on_950: bool = False  # ND tensors, and fewer values of outputSize than axes, need Ascend950

    @property
    def traits(self) -> dict[str, Any]:
        return {**super().traits, "family": "adaptive_pool"}

    @property
    def example_format(self) -> str:
        return self.formats[0]

    @property
    def places(self) -> TensorCase:
        return self.pooled.but(dtype=self.index_dtypes[0])

    def indices(self, like: Argument, was: str, ending: str) -> Argument:
        index, known = super().indices(like, was, ending), self.index_dtypes
        others = tuple(dtype for dtype in index.dtypes if dtype not in known)
        return replace(index, dtypes=known, array_dtypes=others, lacking=index.lacking * ("int64" in known[1:]))

    def forward(self, c_name: str, *samples: Sample, aten: str = "{name}") -> OpSpec:
        source, out, index = self.forward_tensors("outputOut", "indicesOut")
        some = " On Ascend950 one value serves all axes, and none keeps those of self." if self.nd_on_950 else ""
        size = ints("outputSize", f"{self.names} of outputOut.{some}", self.cut(1, 2, 2))
        channels = "C of self must be above 0, unless it is the first dimension."
        without_channels = rules.reshaped(rules.without_channels, source, out, index)
        size_bytes = "outputOut and indicesOut must have fewer than 2^63 bytes each."
        shape = f"outputOut must have self's N and C, and {self.names} of outputSize."
        return self.declare(
            c_name,
            (source, size, out, index),
            (
                rules.dtype(source, "uint32"),
                *rules.soc_dtype(source, out),
                rules.same_dtype(out, source),
                rules.dtype(index, "int16"),
                *rules.soc_dtype(index),
                *self._order_rules(source, out, index),
                *rules.ranks(source, out, index),
                *self._length_rules,
                rules.positive("outputSize", self.cut(1, 0, 2)),
                self.self_size(source),
                Rule("self_channels", channels, without_channels, ACLNN, check=Check("rest_filled", ("self",))),
                *self._plane_rules(source, out, index),
                replace(self.output_size_bytes, sentence=size_bytes),
                Rule("out_shape", shape, rules.reshaped(rules.wider, out, index), check=Check("resized")),
                rules.same_shape(index, out),
            ),
            samples or [self._four_windows],
            summary=f"{self.count}-D adaptive max pooling: the maximum of each window, and where it was.",
            formula="outputOut[n,c,o] = max of self[n,c,i] over floor(o*in/out) <= i < ceil((o+1)*in/out) per axis; "
            "indicesOut[n,c,o] = the first i that has it",
            native="adaptive_max_pool",
            aten=aten,
            doc=document(self, _FORWARD_DOC, format=INDEX_FORMAT, out=PAIR, index_dtype=INDEX_DTYPE),
        )

    def gradient(self, c_name: str, *samples: Sample, aten: str = "{name}") -> OpSpec:
        grad, source, index, result = self.gradient_tensors
        outside = (prod(self.source.shape[2:]) if i == 3 else 0 for i in range(prod(self.places.shape)))
        return self.declare(
            c_name,
            (grad, source, index, result),
            (
                rules.dtype(source),
                rules.dtype(index, "int16"),
                *rules.soc_dtype(index),
                rules.same_dtype(grad, source),
                rules.same_dtype(result, source),
                rules.same_format((grad, index, result), source, rules.changed(grad, format="FRACTAL_NZ")),
                rules.public_format(grad, source, index, result),
                *rules.ranks(source, grad, index, result),
                *self.plane_size(self.huge_plane(grad, source, index, result)),
                rules.same_shape(index, grad),
                rules.same_shape(result, source),
                rules.same_batch(grad, source, index, batch="rank, N and C"),
                rules.index_range(f"{self.plane} of self", index, *outside),
            ),
            samples or [self.one_gradient],
            summary=f"Gradient of {self.count}-D adaptive max pooling: each gradient is added where its window's "
            "maximum was.",
            formula="gradInput = 0, then gradInput[n,c,indices[n,c,j]] += gradOutput[n,c,j] for ascending j",
            native="pool_backward",
            planned_in="adaptive_max_pool_backward",
            aten=aten,
            doc=self.gradient_doc(to_size=" to a given size", example=_EXAMPLE),
        )

    @property
    def _length_rules(self) -> tuple[Rule, ...]:
        results, count = f"({self.names} of the results", self.count
        if not self.nd_on_950:
            return (rules.length("outputSize", (count,), f"{results})", (2,) * (count + 1), (1,)),)
        fewer = f"{results}, 1 for all axes, or none for those of self)"
        sentence = f"outputSize must have {count} values, except on Ascend950."
        return (
            rules.length("outputSize", (0, 1, count), fewer, (2,) * (count - 1)),
            Rule("output_size_soc", sentence, {"outputSize": (1,)}, ACLNN),
        )

    def _plane_rules(self, source: Argument, out: Argument, index: Argument) -> tuple[Rule, ...]:
        huge = {**self.huge_plane(source, out, index), "outputSize": self.sizes(1)}
        narrow = {**huge, "indicesOut": huge["indicesOut"].but(dtype="int32"), "soc": "Ascend950"}
        sentence = f"int32 indices need a {self.plane} of self of at most 2^31 - 1."
        judges = EVERYWHERE if "int32" in self.index_dtypes else ARRAY
        return *self.plane_size(huge), Rule("indices_width", sentence, narrow, judges, shared="max_pool")

    def _order_rules(self, source: Argument, out: Argument, index: Argument) -> tuple[Rule, ...]:
        if not self.nd_on_950:
            last = self.orders[1]
            return tuple(rules.same_axis_order((each, source), each, last, own=True) for each in (out, index))
        both = rules.changed(source, out, format="ND")
        return (
            rules.known_format(source, "HWCN"),
            Rule("format_soc", "self's format must not be ND, except on Ascend950.", both, ACLNN),
            rules.same_format((out,), source, rules.changed(out, format="ND")),
        )

    @property
    def _four_windows(self) -> Sample:
        """A plane of 4 x 4 cells that ascend, pooled to 2 x 2."""
        image, small = self.plane_of(1, 4, 4, values=range(16)), self.plane_of(1, 2, 2)
        places = self.places.but(shape=small.shape)
        changes: dict[str, Value] = {"self": image, "outputOut": small, "indicesOut": places}
        return self.sample("four windows of four cells", changes, (5, 7, 13, 15), (5, 7, 13, 15))


IMAGES = AdaptiveMaxPool(
    "HW",
    dtypes=("float32", "float16", "float64", "bfloat16"),
    socs=SOCS,
    formats=("NCHW", "NHWC", "ND"),
    channels_last_on_950=True,
    lacking=(("Ascend910", "bfloat16"),),
    index_dtypes=("int64",),
    wide_indices=SOCS,
    plane_limited=False,
)
VOLUMES = AdaptiveMaxPool("DHW", formats=("NCDHW", "NCHW", "ND"), nd_on_950=True)
