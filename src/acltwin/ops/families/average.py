"""Average pooling, over windows of one size or over windows that follow from the sizes, and the gradients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from acltwin.ops._rules import (
    dtype_rule,
    format_rule,
    length_rule,
    null_rules,
    positive_rule,
    public_format_rule,
    rank_rule,
    same_dtype_rule,
    same_format_rule,
    same_rank_rule,
    same_shape_rule,
    soc_dtype_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import Axes, ints, lower, unbatched, wider, wrapped
from acltwin.ops.spec import (
    ACLNN,
    ARRAY,
    EVERYWHERE,
    SOCS,
    Argument,
    CallCase,
    Judge,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
    Value,
)

_INPUT = "{shapes}; float32, float16, bfloat16 (summed in float32) or float64."
_FORMAT = 'data_format: order of the axes of all tensors, which are {rank}-D for ``"{last}"``.'
_WINDOW_DOC = """kernel_size, stride, padding: {of}one number or ({names}). A stride of ``None`` or ``()`` means the \
kernel size.
    ceil_mode: whether the number of windows {was} rounded up.
    count_include_pad: whether cells of the padding count.
    divisor_override: what sums are divided by instead of the number of cells; None or 0: not given."""

_FORWARD_DOC = """{count}-D average pooling.

Each window gives the sum of its cells, divided by their number. A window reaches into the padding, whose cells are 0,
and in ``ceil_mode`` beyond it, where nothing is. A window without cells gives 0.

Args:
    input: the tensor to pool, {input}
    {window}
    {format}
    out: where to write the result, instead of a new array.

Returns:
    The averages, an array of the same kind and dtype as ``input``.

>>> import numpy as np
>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> {name}(image, {two}).ravel().tolist()
[3.0, 5.0]
"""
_GRADIENT_DOC = """Gradient of {count}-D average pooling.

Each average is a sum of cells, divided by a number. The gradient of a cell is the sum of the gradients of the averages
that it is part of, each divided by the same number.

Args:
    grad_output: gradient of the averages, {input}
    input: input of the forward pass, for its shape; its values are not read.
    {window}
    {format}
    out: where to write the result, instead of a new array.

Returns:
    The gradient of ``input``, an array of the same shape, of the kind and dtype of ``grad_output``.

>>> import numpy as np
>>> averages_grad = np.array([3.0, 5.0], np.float32).reshape({ones}, 2)
>>> image = np.zeros(({ones}, 4), np.float32)
>>> {name}(averages_grad, image, {two}).ravel().tolist()
[1.5, 1.5, 2.5, 2.5]
"""
_ADAPTIVE_DOC = """{count}-D average pooling to a given size.

Along one axis, result cell ``o`` is the average of the input cells from ``floor(o * in / out)`` up to, not including,
``ceil((o + 1) * in / out)``.

Args:
    input: the tensor to pool, {input}
    output_size: {names} of the result, or one size for all axes. It may also be larger than the input.
    {format}
    out: where to write the result, instead of a new array.

Returns:
    The averages, an array of the same kind and dtype as ``input``.

>>> import numpy as np
>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> {name}(image, {size}).ravel().tolist()
[3.0, 5.0]
"""
_ADAPTIVE_GRADIENT_DOC = """Gradient of {count}-D average pooling to a given size.

The gradient of a cell is the sum of the gradients of the averages that it is part of, each divided by the number of
cells in that average.

Args:
    grad_output: gradient of the averages, {input}
    input: input of the forward pass, for its shape; its values are not read.
    {format}
    out: where to write the result, instead of a new array.

Returns:
    The gradient of ``input``, an array of the same shape, of the kind and dtype of ``grad_output``.

>>> import numpy as np
>>> averages_grad = np.array([3.0, 5.0], np.float32).reshape({ones}, 2)
>>> {name}(averages_grad, np.zeros(({ones}, 4), np.float32)).ravel().tolist()
[1.5, 1.5, 2.5, 2.5]
"""


@dataclass(frozen=True)
class Average(Axes):
    """What the operators of some axes share."""

    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    socs: tuple[str, ...] = SOCS
    lacking: tuple[tuple[str, str], ...] = (("Ascend910", "bfloat16"),)
    formats: tuple[str, ...] = ()  # the only ones; none: any public one
    first_format: str = "ND"  # of the example

    @property
    def source(self) -> TensorCase:
        return self.case(2, 4, 4)

    @property
    def pooled(self) -> TensorCase:
        return self.case(1, 2, 2)

    def case(self, *dhw: int, batch: tuple[int, ...] = (1, 2)) -> TensorCase:
        return self.tensor(*dhw, batch=batch).but(format=self.first_format)

    def _argument(self, name: str, doc: str) -> Argument:
        return Argument(
            name,
            "tensor",
            f"{doc}: (C, {self.names}) or (N, C, {self.names}).",
            dtypes=self.dtypes,
            array_dtypes=tuple(dtype for dtype in ("float64",) if dtype not in self.dtypes),
            formats=self.formats or ("ND",),
            ranks=(1 + self.count, 2 + self.count),
            lacking=self.lacking,
        )

    def _gradients(self, result: str) -> tuple[Argument, Argument, Argument]:
        grad = self._argument("gradOutput", "Gradient of the averages")
        source = replace(self._argument("self", "Input of the forward pass, for its shape"), holds="shape")
        return grad, source, replace(grad, name=result, doc="The gradient of self: the result.", role="output")

    def _type_rules(self, *tensors: tuple[Argument, TensorCase]) -> tuple[Rule, ...]:
        first, (result, result_case) = tensors[0][0], tensors[-1]
        lacking: tuple[Rule, ...] = ()
        if self.lacking:
            soc, dtype = self.lacking[0]
            others: dict[str, Value | str] = {argument.name: other.but(dtype=dtype) for argument, other in tensors}
            lacking = (soc_dtype_rule(first, {**others, "soc": soc}),)
        return (
            *(dtype_rule(argument, other.but(dtype="int32")) for argument, other in tensors[:-1]),
            *lacking,
            same_dtype_rule(result.name, first.name, result_case.but(dtype="float16")),
        )

    def _shape_rules(self, *tensors: tuple[Argument, TensorCase]) -> tuple[Rule, ...]:
        """Formats and ranks; all tensors have those of the first one."""
        (first, case), others = tensors[0], tensors[1:]
        last, last_case = others[-1]
        names = tuple(argument.name for argument, _ in others)
        other_format = "NC" + self.axes if self.first_format == "ND" else "ND"
        formats = (
            (format_rule(first, case.but(format="ND")),) if self.formats else (public_format_rule(first.name, case),)
        )
        return (
            *formats,
            same_format_rule(names, first.name, {last.name: last_case.but(format=other_format)}),
            rank_rule(first, lower(case)),
            *(same_rank_rule(argument.name, first.name, unbatched(other)) for argument, other in others),
        )

    def _size_rules(self, *alike: str, judges: tuple[Judge, ...] = EVERYWHERE) -> tuple[Rule, ...]:
        empty = dict.fromkeys(("self", *alike), self.case(2, 0, 4))
        return (Rule("self_size", f"{self.names} of self must be above 0.", empty, judges, shared="pool"),)

    def _channel_rules(self, tensors: dict[str, TensorCase]) -> tuple[Rule, ...]:
        violation = {name: case.but(shape=(1, 0, *case.shape[2:])) for name, case in tensors.items()}
        return (Rule("self_channels", "C of self must be above 0; N may be 0.", violation, ACLNN, shared="pool"),)

    def _spec(self, template: str, name: str, c_name: str, header: str, words: dict[str, str], **fields: Any) -> OpSpec:
        two = ", ".join(["1"] * (self.count - 1)) + ", 2" if self.count > 1 else "2"
        doc = template.format(
            name=name,
            count=self.count,
            names=self.names,
            input=_INPUT.format(shapes=self.shapes("C")),
            format=_FORMAT.format(rank=2 + self.count, last=self.orders[1]),
            ones=", ".join(["1"] * (1 + self.count)),
            two=f"({two})",
            size=f"({two})",
            **words,
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            socs=self.socs,
            family="average",
            doc=wrapped(doc),
            axes=self.axes,
            lone_axis="C",
            channels_last_arrays=True,
            **fields,
        )


@dataclass(frozen=True)
class AveragePool(Average):
    """Windows of one size: the two operators."""

    stride_name: str = "stride"
    padding_name: str = "padding"
    cube: bool = False  # whether there is a cubeMathType
    kernel_within_input: bool = False

    @property
    def window(self) -> dict[str, Value]:
        two = self.cut(2, 2, 2)
        window: dict[str, Value] = {
            "kernelSize": two,
            self.stride_name: two,
            self.padding_name: self.cut(0, 0, 0),
            "ceilMode": False,
            "countIncludePad": True,
            "divisorOverride": 0,
        }
        return {**window, **({"cubeMathType": 2} if self.cube else {})}

    @property
    def _window_arguments(self) -> tuple[Argument, ...]:
        each = self.names
        cube = Argument("cubeMathType", "int8", "In which precision the device's matrix unit computes.", c_only=True)
        stride = ints(self.stride_name, f"Step of the window: none (the kernel size), one value, or {each}.", "None")
        padding = ints(self.padding_name, f"Padding on both sides: one value or {each}; at most half the kernel.", "0")
        return (
            ints("kernelSize", f"Size of the window: one value for all axes or {each}."),
            replace(stride, known_as="stride", takes_known_name=True),
            replace(padding, known_as="padding", takes_known_name=True),
            Argument("ceilMode", "bool", "Whether the number of windows is rounded up.", default="False"),
            Argument("countIncludePad", "bool", "Whether cells of the padding count.", default="True"),
            Argument("divisorOverride", "int64", "What sums are divided by; 0: not given.", default="None"),
            *([cube] if self.cube else []),
        )

    def _window_rules(self, source: TensorCase, *alike: str) -> tuple[Rule, ...]:
        count, cut, stride, padding = self.count, self.cut, self.stride_name, self.padding_name
        meaning, wrong = f"({self.names}, or 1 for all axes)", 5 - count
        none = f"{meaning[:-1]}, or none for the kernel size)"
        half, negative = f"{padding} must be at most half of kernelSize on each axis.", f"No value of {padding}"
        deep = (source.shape[2] + 1, *cut(2, 2, 2)[1:])
        within = Rule(
            "kernel_input",
            "kernelSize must be at most self's size on each axis.",
            {"kernelSize": deep, stride: cut(2, 2, 2), padding: (1, *cut(0, 0, 0)[1:])},
            ACLNN,
            shared="avg_pool_shared",
        )
        fits = Rule(
            "window_fits",
            "At least one window must fit into self and its padding along each axis.",
            {"kernelSize": deep, stride: cut(2, 2, 2)},
            ARRAY if self.kernel_within_input else EVERYWHERE,
            shared="pool",
        )
        return (
            length_rule("kernelSize", (1, count), meaning, (2,) * wrong),
            positive_rule("kernelSize", cut(2, 0, 2)),
            length_rule(stride, (0, 1, count), none, (2,) * wrong),
            positive_rule(stride, cut(2, 0, 2)),
            length_rule(padding, (1, count), meaning, (0,) * wrong),
            Rule("padding_negative", f"{negative} may be negative.", {padding: cut(0, -1, 0)}, shared="pool"),
            Rule("padding_half", half, {padding: cut(0, 3, 0)}, shared="pool"),
            *self._size_rules(*alike),
            *([within] if self.kernel_within_input else []),
            fits,
        )

    def _cube_rules(self, most: int) -> tuple[Rule, ...]:
        if not self.cube:
            return ()
        needs = "float32 needs cubeMathType 0 or 2 on Ascend910B and Ascend910_93 where the matrix unit computes, and "
        return (
            Rule(
                "cube_math_type_range",
                f"cubeMathType must be 0 to {most}.",
                {"cubeMathType": 5},
                ACLNN,
                shared="avg_pool_shared",
            ),
            Rule(
                "cube_math_type_soc",
                f"{needs}1 or 2 on Ascend910.",
                {"cubeMathType": 1},
                ("device",),
                shared="avg_pool_shared",
            ),
        )

    @property
    def _format_rank_rule(self) -> tuple[Rule, ...]:
        if not self.formats:
            return ()
        violation = {"self": self.source.but(format="NCL"), "out": self.pooled.but(format="NCL")}
        sentence = "Tensors of 4 dimensions must be NCHW, those of 3 NCL."
        return (Rule("format_rank", sentence, violation, ACLNN, shared="avg_pool_shared"),)

    def _words(self, of: str, was: str) -> dict[str, str]:
        return {"window": _WINDOW_DOC.format(names=self.names, of=of, was=was)}

    def forward(self, c_name: str, header: str) -> OpSpec:
        name, source, pooled = f"avg_pool{self.count}d", self.source, self.pooled
        first = self._argument("self", "The tensor to pool")
        out = replace(first, name="out", doc="The average of each window: the result.", role="output")
        arguments = (first, *self._window_arguments, out)
        tensors = ((first, source), (out, pooled))
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("self", source),
            *self._type_rules(*tensors),
            *self._shape_rules(*tensors),
            *self._format_rank_rule,
            *self._window_rules(source),
            *(self._channel_rules({"self": source, "out": pooled}) if self.cube else ()),
            Rule(
                "out_bytes",
                "out must have fewer than 2^63 bytes.",
                {
                    "self": self.huge(*self.sizes(2)).but(
                        shape=(1, 2 ** (60 - self.count), *self.sizes(2)), format=self.first_format
                    ),
                    "kernelSize": self.sizes(2),
                    self.stride_name: self.sizes(1),
                    self.padding_name: self.sizes(1),
                },
                ARRAY,
                shared="pool",
            ),
            Rule(
                "out_shape",
                "out must have self's N and C, and one cell for each window.",
                {"out": wider(pooled)},
                shared="pool",
            ),
            *self._cube_rules(4),
        )
        sample = Sample(
            "the average of equal cells is what they are",
            CallCase(
                {
                    "self": self.case(2, 8, 8, batch=(1, 1)).but(values=(2.0,) * (64 * 2 ** (self.count - 2))),
                    **self.window,
                    "out": self.case(1, 4, 4, batch=(1, 1)),
                }
            ),
            ((2.0,) * 16,),
        )
        return self._spec(
            _FORWARD_DOC,
            name,
            c_name,
            header,
            self._words("", "is"),
            summary=f"{self.count}-D average pooling: the average of each window.",
            formula="out[n,c,j] = (sum of self[n,c,i] over the cells i of window j) / divisor",
            arguments=arguments,
            valid=CallCase({"self": source, **self.window, "out": pooled}),
            rules=rules,
            samples=(sample,),
            partner=f"{name}_backward",
            is_gradient=False,
            native="avg_pool",
            aten=name,
        )

    def gradient(self, c_name: str, header: str, result: str = "gradInput") -> OpSpec:
        name, source, pooled = f"avg_pool{self.count}d_backward", self.source, self.pooled
        grad, self_argument, result_argument = self._gradients(result)
        arguments = (grad, self_argument, *self._window_arguments, result_argument)
        tensors = ((grad, pooled), (self_argument, source), (result_argument, source))
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("gradOutput", pooled),
            *self._type_rules(*tensors),
            *self._shape_rules(*tensors),
            *self._format_rank_rule_of_gradient,
            *self._window_rules(source, result),
            *(self._channel_rules({"gradOutput": pooled, "self": source, result: source}) if self.cube else ()),
            same_shape_rule(result, "self", wider(source)),
            Rule(
                "grad_output_shape",
                "gradOutput must have self's N and C, and one cell for each window.",
                {"gradOutput": wider(pooled)},
                shared="avg_pool_shared",
            ),
            *self._cube_rules(3),
        )
        cells = 64 * 2 ** (self.count - 2)
        sample = Sample(
            "each gradient is spread evenly over its window",
            CallCase(
                {
                    "gradOutput": self.case(1, 4, 4, batch=(1, 1)).but(values=(1.0,) * 16),
                    "self": self.case(2, 8, 8, batch=(1, 1)),
                    **self.window,
                    result: self.case(2, 8, 8, batch=(1, 1)),
                }
            ),
            ((16 / cells,) * cells,),
        )
        return self._spec(
            _GRADIENT_DOC,
            name,
            c_name,
            header,
            self._words("those of the forward pass, ", "was"),
            summary=f"Gradient of {self.count}-D average pooling: each gradient is spread evenly over its window.",
            formula=f"{result}[n,c,i] = sum of gradOutput[n,c,j] / divisor over the windows j that cover cell i",
            arguments=arguments,
            valid=CallCase({"gradOutput": pooled, "self": source, **self.window, result: source}),
            rules=rules,
            samples=(sample,),
            partner=f"avg_pool{self.count}d",
            is_gradient=True,
            native="avg_pool_backward",
            aten=name,
        )

    @property
    def _format_rank_rule_of_gradient(self) -> tuple[Rule, ...]:
        rules = self._format_rank_rule
        ncl = {
            "gradOutput": self.pooled.but(format="NCL"),
            "self": self.source.but(format="NCL"),
            "gradInput": self.source.but(format="NCL"),
        }
        return tuple(replace(rule, violation=ncl) for rule in rules)


@dataclass(frozen=True)
class AdaptivePool(Average):
    """Windows that follow from the sizes: the two operators."""

    channels_needed: bool = False

    def forward(self, c_name: str, header: str, sample: Sample) -> OpSpec:
        name, source, pooled = f"adaptive_avg_pool{self.count}d", self.source, self.pooled
        first = self._argument("self", "The tensor to pool")
        out = replace(first, name="out", doc="The averages: the result.", role="output")
        sizes = Argument("outputSize", "int_array", f"{self.names} of out.", one_for_all=True)
        arguments = (first, sizes, out)
        tensors = ((first, source), (out, pooled))
        size = self.cut(1, 2, 2)
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("self", source),
            *self._type_rules(*tensors),
            *self._shape_rules(*tensors),
            *self._size_rules(),
            length_rule(
                "outputSize", (self.count,), f"({self.names} of the result)", (2,) * (self.count + 1), array_counts=(1,)
            ),
            positive_rule("outputSize", (*size[:-1], 0)),
            Rule(
                "output_size_bytes",
                "A tensor of self's N and C and of outputSize must have fewer than 2^63 bytes.",
                {"outputSize": self.beyond_bytes},
            ),
            Rule("out_shape", "out must be self's N and C, and outputSize.", {"out": wider(pooled)}),
        )
        return self._spec(
            _ADAPTIVE_DOC,
            name,
            c_name,
            header,
            {},
            summary=f"{self.count}-D average pooling to a given size.",
            formula="out[n,c,o] = average of self[n,c,i] for i in [floor(o*in/out), ceil((o+1)*in/out))",
            arguments=arguments,
            valid=CallCase({"self": source, "outputSize": size, "out": pooled}),
            rules=rules,
            samples=(sample,),
            partner=f"{name}_backward",
            is_gradient=False,
            native="adaptive_avg_pool",
            aten=f"_{name}",
        )

    def gradient(self, c_name: str, header: str, sample: Sample) -> OpSpec:
        name, source, pooled = f"adaptive_avg_pool{self.count}d_backward", self.source, self.pooled
        arguments = self._gradients("out")
        tensors = tuple(zip(arguments, (pooled, source, source), strict=True))
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("gradOutput", pooled),
            *self._type_rules(*tensors),
            *self._shape_rules(*tensors),
            *self._size_rules("out"),
            Rule(
                "grad_output_batch",
                "gradOutput must have self's rank, N and C.",
                {"gradOutput": pooled.but(shape=(1, 3, *pooled.shape[2:]))},
            ),
            Rule(
                "grad_output_positive",
                f"{self.names} of gradOutput must be above 0.",
                {"gradOutput": pooled.but(shape=(*pooled.shape[:-1], 0))},
            ),
            same_shape_rule("out", "self", wider(source)),
        )
        return self._spec(
            _ADAPTIVE_GRADIENT_DOC,
            name,
            c_name,
            header,
            {},
            summary=f"Gradient of {self.count}-D average pooling to a given size.",
            formula="out[n,c,i] = sum of gradOutput[n,c,o] / size of window o over the windows o that cover cell i",
            arguments=arguments,
            valid=CallCase({"gradOutput": pooled, "self": source, "out": source}),
            rules=rules,
            samples=(sample,),
            partner=f"adaptive_avg_pool{self.count}d",
            is_gradient=True,
            native="adaptive_avg_pool_backward",
            aten=f"_{name}",
        )


IMAGES = AveragePool("HW", formats=("NCHW", "NCL"), first_format="NCHW", cube=True)
"""As the 2-D operators have it."""
VOLUMES = AveragePool("DHW", socs=("Ascend950", "Ascend910_93", "Ascend910B"), lacking=(), kernel_within_input=True)
"""As the 3-D operators have it."""
