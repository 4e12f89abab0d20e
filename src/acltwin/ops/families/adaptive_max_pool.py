"""Max pooling to a given size, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from acltwin.ops._rules import (
    dtype_rule,
    format_rule,
    index_range_rule,
    length_rule,
    null_rules,
    positive_rule,
    public_format_rule,
    rank_rule,
    same_axis_order_rule,
    same_dtype_rule,
    same_format_rule,
    same_rank_rule,
    same_shape_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import HUGE, INTEGERS, lower, unbatched, wider, wrapped
from acltwin.ops.families.max_pool import MaxPool
from acltwin.ops.spec import (
    ACLNN,
    ARRAY,
    EVERYWHERE,
    SOCS,
    Argument,
    CallCase,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
    Value,
    snake_case,
)

_FORWARD_DOC = """{count}-D max pooling to a given size.

Window ``o`` of an axis covers the cells from ``floor(o * input size / output size)`` up to, but not including,
``ceil((o + 1) * input size / output size)``. Windows overlap where the sizes do not divide. Each keeps its maximum, and
``indices`` says where it is. Of equal values the first one in C order is meant. A NaN is larger than everything,
and of several NaNs the last one gives the index.

Args:
    input: the tensor to pool, {shapes}; float32, float16, bfloat16 or float64, integers of up to 64 bits or bool.
    output_size: {names} of the results, or one size for all axes; it may also be larger than the input.
    index_dtype: dtype of new indices; with ``out``, that of its second array is used. int32 reaches planes of up to
        2^31 - 1 cells.
    {format}
    out: where to write the results, instead of new arrays: a pair of arrays.

Returns:
    The maxima, an array of the same kind and dtype as ``input``, and the indices: places in the flattened {plane}
    plane of ``input``.

>>> import numpy as np
>>> image = np.array([1, 5, 7, 3, 4], np.float32).reshape({ones}, 5)
>>> maxima, indices = {name}(image, {size})
>>> maxima.ravel().tolist(), indices.ravel().tolist()
([7.0, 7.0], [2, 2])
"""

_GRADIENT_DOC = """Gradient of {count}-D max pooling to a given size.

Pooling keeps the maximum of each window, and ``indices`` remembers where it was. The gradient of each maximum is
added there; where windows overlap, several gradients meet. All other cells are 0.

Args:
    grad_output: gradient of the pooled tensor, {shapes}; float32, float16, bfloat16 (summed in float32) or float64.
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: int32 or int64, shaped like ``grad_output``: places in the flattened {plane} plane of ``input``.
    {format}
    out: where to write the result, instead of a new array.

Returns:
    The gradient of ``input``, an array of the same kind, shape and dtype.

Raises:
    IndexError: an index lies outside its plane; the message names its position and value.

>>> import numpy as np
>>> pooled_grad = np.array([5.0, 7.0], np.float32).reshape({ones}, 2)
>>> image = np.zeros(({ones}, 5), np.float32)
>>> indices = np.array([2, 2]).reshape(pooled_grad.shape)
>>> {name}(pooled_grad, image, indices).ravel().tolist()
[0.0, 0.0, 12.0, 0.0, 0.0]
"""


@dataclass(frozen=True)
class AdaptiveMaxPool(MaxPool):
    """The two operators of some axes."""

    index_dtypes: tuple[str, ...] = ("int32", "int64")  # through aclnn
    nd_on_950: bool = False  # ND tensors, and fewer values of outputSize than axes, need Ascend950
    value_dtypes: tuple[str, ...] = ()  # what arrays may be beyond dtypes

    @property
    def format(self) -> str:
        return self.formats[0]

    @property
    def source(self) -> TensorCase:
        return self.tensor(2, 4, 4).but(format=self.format)

    @property
    def pooled(self) -> TensorCase:
        return self.tensor(1, 2, 2).but(format=self.format)

    @property
    def places(self) -> TensorCase:
        return self.tensor(1, 2, 2, dtype=self.index_dtypes[0]).but(format=self.format)

    def _index_argument(self, like: Argument, name: str, was: str, ending: str) -> Argument:
        argument = self._indices(like, was, ending)
        dtypes, lacking = self.index_dtypes, argument.lacking if "int64" in self.index_dtypes[1:] else ()
        others = tuple(dtype for dtype in argument.dtypes if dtype not in dtypes)
        return replace(argument, name=name, dtypes=dtypes, array_dtypes=others, lacking=lacking)

    def pooling(self, name: str, c_name: str, sample: Sample) -> OpSpec:
        source, pooled, places, cut = self.source, self.pooled, self.places, self.cut
        size = cut(1, 2, 2)
        argument = replace(
            self._tensor_argument("self", "The tensor to pool"), array_dtypes=(*self.value_dtypes, *INTEGERS)
        )
        out = replace(argument, name="outputOut", doc="The maximum of each window: the first result.", role="output")
        index = replace(self._index_argument(argument, "indicesOut", "is", ": the second result."), role="output")
        some = " On Ascend950 one value serves all axes, and none keeps those of self." if self.nd_on_950 else ""
        sizes = Argument("outputSize", "int_array", f"{self.names} of outputOut.{some}", one_for_all=True)
        arguments = (argument, sizes, out, index)
        one, huge_size = (1,) * (2 + self.count), cut(1, 1, 1)
        huge: dict[str, Value | str] = {
            "self": self.huge(*HUGE[self.count]).but(format=self.format),
            "outputSize": huge_size,
            "outputOut": pooled.but(shape=one),
            "indicesOut": places.but(shape=one),
        }
        counts = (0, 1, self.count) if self.nd_on_950 else (self.count,)
        meaning = f"({self.names} of the results{', 1 for all axes, or none for those of self' * self.nd_on_950})"
        nothing = {"outputOut": pooled.but(shape=(1, 0, *size)), "indicesOut": places.but(shape=(1, 0, *size))}
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("self", source),
            dtype_rule(argument, source.but(dtype="uint32")),
            *self._soc_dtypes(argument, self._lacking_tensors({"self": source, "outputOut": pooled})),
            same_dtype_rule("outputOut", "self", pooled.but(dtype="float16")),
            dtype_rule(index, places.but(dtype="int16")),
            *self._soc_dtypes(index, {"indicesOut": places.but(dtype="int64")}),
            *self._adaptive_formats(argument),
            rank_rule(argument, lower(source)),
            same_rank_rule("outputOut", "self", unbatched(pooled)),
            same_rank_rule("indicesOut", "self", unbatched(places)),
            length_rule(
                "outputSize",
                counts,
                meaning,
                (2,) * (self.count - 1) if self.count == 3 else (2,) * (self.count + 1),
                array_counts=() if self.nd_on_950 else (1,),
            ),
            *(
                [
                    Rule(
                        "output_size_soc",
                        f"outputSize must have {self.count} values, except on Ascend950.",
                        {"outputSize": (1,)},
                        ACLNN,
                    )
                ]
                if self.nd_on_950
                else []
            ),
            positive_rule("outputSize", cut(1, 0, 2)),
            Rule(
                "self_size",
                f"{self.names} of self must be above 0.",
                {"self": self.tensor(2, 0, 4).but(format=self.format)},
                shared="pool",
            ),
            Rule(
                "self_channels",
                "C of self must be above 0, unless it is the first dimension.",
                {"self": source.but(shape=(1, 0, *source.shape[2:])), **nothing},
                ACLNN,
            ),
            *self._plane_size(huge),
            Rule(
                "indices_width",
                f"int32 indices need a {self.plane} of self of at most 2^31 - 1.",
                {**huge, "indicesOut": places.but(shape=one, dtype="int32"), "soc": "Ascend950"},
                EVERYWHERE if "int32" in self.index_dtypes else ARRAY,
                shared="max_pool",
            ),
            Rule(
                "output_size_bytes",
                "outputOut and indicesOut must have fewer than 2^63 bytes each.",
                {"outputSize": cut(2, 2**40, 2**40)},
            ),
            Rule(
                "out_shape",
                f"outputOut must have self's N and C, and {self.names} of outputSize.",
                {"outputOut": wider(pooled), "indicesOut": wider(places)},
            ),
            same_shape_rule("indicesOut", "outputOut", wider(places)),
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=f"aclnn_{name}.h",
            summary=f"{self.count}-D adaptive max pooling: the maximum of each window, and where it was.",
            formula="outputOut[n,c,o] = max of self[n,c,i] over floor(o*in/out) <= i < ceil((o+1)*in/out) per axis; "
            "indicesOut[n,c,o] = the first i that has it",
            arguments=arguments,
            socs=self.socs,
            valid=CallCase({"self": source, "outputSize": size, "outputOut": pooled, "indicesOut": places}),
            rules=rules,
            samples=(sample,),
            family="adaptive_pool",
            partner=f"{name}_backward",
            is_gradient=False,
            native="adaptive_max_pool",
            aten=name,
            doc=self._adaptive_doc(_FORWARD_DOC, name),
            **self._traits,
        )

    def pooling_gradient(self, partner: str, c_name: str, sample: Sample) -> OpSpec:
        name = f"{partner}_backward"
        source, pooled, places = self.source, self.pooled, self.places
        grad = self._tensor_argument("gradOutput", "Gradient of the pooled tensor")
        argument = replace(
            grad,
            name="self",
            doc="Input of the forward pass; its shape and dtype matter, its values are not read.",
            holds="shape",
        )
        index = self._index_argument(grad, "indices", "was", ".")
        result = replace(grad, name="gradInput", doc="Gradient of self: the result.", role="output")
        arguments = (grad, argument, index, result)
        one, huge = (1,) * (2 + self.count), self.huge(*HUGE[self.count]).but(format=self.format)
        more = (1, 3, *pooled.shape[2:])
        cells = tuple(prod(source.shape[2:]) if i == 3 else 0 for i in range(prod(places.shape)))
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("gradOutput", pooled),
            dtype_rule(argument, source.but(dtype="int32")),
            dtype_rule(index, places.but(dtype="int16")),
            *self._soc_dtypes(index, {"indices": places.but(dtype="int64")}),
            same_dtype_rule("gradOutput", "self", pooled.but(dtype="float16")),
            same_dtype_rule("gradInput", "self", source.but(dtype="float16")),
            same_format_rule(
                ("gradOutput", "indices", "gradInput"), "self", {"gradOutput": pooled.but(format="FRACTAL_NZ")}
            ),
            Rule(
                "private_format",
                "No tensor may have a private format.",
                {
                    each: case.but(format="FRACTAL_Z")
                    for each, case in (
                        ("gradOutput", pooled),
                        ("self", source),
                        ("indices", places),
                        ("gradInput", source),
                    )
                },
                ACLNN,
                check=public_format_rule("indices", places).check,
            ),
            rank_rule(argument, lower(source)),
            same_rank_rule("gradOutput", "self", unbatched(pooled)),
            same_rank_rule("indices", "self", unbatched(places)),
            same_rank_rule("gradInput", "self", unbatched(source)),
            *self._plane_size(
                {
                    "gradOutput": pooled.but(shape=one),
                    "self": huge,
                    "indices": places.but(shape=one),
                    "gradInput": huge,
                }
            ),
            same_shape_rule("indices", "gradOutput", wider(places)),
            same_shape_rule("gradInput", "self", wider(source)),
            Rule(
                "grad_output_batch",
                "gradOutput must have self's rank, N and C.",
                {"gradOutput": pooled.but(shape=more), "indices": places.but(shape=more)},
            ),
            index_range_rule(f"{self.plane} of self", places.but(values=cells)),
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=f"aclnn_{name}.h",
            summary=f"Gradient of {self.count}-D adaptive max pooling: each gradient is added where its window's "
            "maximum was.",
            formula="gradInput = 0, then gradInput[n,c,indices[n,c,j]] += gradOutput[n,c,j] for ascending j",
            arguments=arguments,
            socs=self.socs,
            valid=CallCase({"gradOutput": pooled, "self": source, "indices": places, "gradInput": source}),
            rules=rules,
            samples=(sample,),
            family="adaptive_pool",
            partner=partner,
            is_gradient=True,
            native="max_pool_backward",
            planned_in="adaptive_max_pool_backward",
            aten=name,
            doc=self._adaptive_doc(_GRADIENT_DOC, name),
            **self._traits,
        )

    def _adaptive_formats(self, argument: Argument) -> tuple[Rule, ...]:
        source, pooled = self.source, self.pooled
        other = next(order for order in ("ND", "NCHW") if order != self.format)
        equal = same_format_rule(("outputOut",), "self", {"outputOut": pooled.but(format=other)})
        foreign = format_rule(argument, source.but(format="HWCN"))
        if not self.nd_on_950:
            last = self.orders[1]
            return tuple(
                replace(
                    same_axis_order_rule(
                        name, "self", last, {name: case.but(format=last, shape=(1, *case.shape[2:], case.shape[1]))}
                    ),
                    id=f"{snake_case(name)}_format",
                )
                for name, case in (("outputOut", pooled), ("indicesOut", self.places))
            )
        both = {"self": source.but(format="ND"), "outputOut": pooled.but(format="ND")}
        return foreign, Rule("format_soc", "self's format must not be ND, except on Ascend950.", both, ACLNN), equal

    def _adaptive_doc(self, template: str, name: str) -> str:
        doc = template.format(
            name=name,
            count=self.count,
            shapes=self.shapes("C"),
            plane=self.plane,
            names=self.names,
            ones=", ".join(["1"] * (1 + self.count)),
            size=self.cut(1, 1, 2),
            format=self.format_doc,
        )
        return wrapped(doc)


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
VOLUMES = AdaptiveMaxPool("DHW", formats=("NCDHW", "NCHW", "ND"), value_dtypes=("float64",), nd_on_950=True)


def sample_of(family: AdaptiveMaxPool) -> Sample:
    """A plane of 4 x 4 cells that ascend, pooled to 2 x 2."""
    one, index_dtype = (1,) * family.count, family.index_dtypes[0]
    small = TensorCase("float32", (*one, 2, 2), family.formats[0])
    cells = tuple(map(float, range(16)))
    call = CallCase(
        {
            "self": small.but(shape=(*one, 4, 4), values=cells),
            "outputSize": family.cut(1, 2, 2),
            "outputOut": small,
            "indicesOut": small.but(dtype=index_dtype),
        }
    )
    return Sample("four windows of four cells", call, ((5, 7, 13, 15), (5, 7, 13, 15)))
