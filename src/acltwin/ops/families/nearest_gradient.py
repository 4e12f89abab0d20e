"""The gradients of nearest and nearest-exact upsampling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from acltwin.ops._rules import (
    dtype_rule,
    length_rule,
    null_rules,
    positive_rule,
    rank_rule,
    same_axis_order_rule,
    same_dtype_rule,
    soc_dtype_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import Axes, wrapped
from acltwin.ops.families.nearest import scales_infinite_rule, scales_negative_rule
from acltwin.ops.spec import (
    ACLNN,
    ARRAY,
    DOCUMENTED,
    Argument,
    CallCase,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
    Value,
    snake_case,
)

DOC = """Gradient of {count}-D {mode} upsampling.

Upsampling copies each input cell to several output cells. Its gradient goes the other way: each input cell gets the
sum of the gradients of its copies. Along one axis, input cell ``i`` owns the output cells from ``b(i)`` up to, not
including, ``b(i + 1)`` with ``b(i) = min(ceil({begin}), output size)`` and ``s = output size / input size``.

Args:
    {grad}: gradient of the upsampled tensor, {rank}-D; float32, float16, bfloat16 (summed in float32) or float64.
    output_size: {names} of ``{grad}``.{size_note}
    input_size: N, C, {names} of the result{or_last}.
    {scales}: the {factors} of the forward pass{own}; 0 or None: not given.{note}{format}
    rule: who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.
    out: where to write the result, instead of a new array.

Returns:
    The gradient of the input, an array of the same kind and dtype as ``{grad}``.

>>> import numpy as np
>>> {grad} = np.arange(1, 4, dtype=np.float32).reshape({ones}, 3)
>>> {name}({grad}, {outer}, ({ones}, 2)).ravel().tolist()
{example}
"""
_FORMAT = "\n    data_format: order of the axes of ``{grad}`` and the result."


def doc_of(axes: Axes, name: str, exact: bool, arguments: tuple[Argument, ...], **words: str) -> str:
    """The docstring of a gradient's function."""
    several, grad = axes.count > 1, arguments[0].python_name
    usual = {
        "size_note": "",
        "own": ", each on its own" if several else "",
        "note": "",
        "format": _FORMAT.format(grad=grad),
        "or_last": "",
    }
    doc = DOC.format(
        name=name,
        count=axes.count,
        mode="nearest-exact" if exact else "nearest",
        begin="i * s - 0.5" if exact else "i * s",
        grad=grad,
        rank=2 + axes.count,
        names=axes.names,
        scales=", ".join(argument.python_name for argument in arguments if argument.is_scale),
        factors="factors" if several else "factor",
        ones=", ".join(["1"] * (1 + axes.count)),
        outer=axes.cut(1, 1, 3) if several else "(3,)",
        example="[1.0, 5.0]" if exact else "[3.0, 3.0]",
        **{**usual, **words},
    )
    return wrapped(doc)


@dataclass(frozen=True)
class UpsamplingGradient(Axes):
    """An operator of some axes."""

    exact: bool
    dtypes: tuple[str, ...]
    socs: tuple[str, ...]
    device_socs: tuple[str, ...] = ()
    array_dtypes: tuple[str, ...] = ()
    lacking: tuple[tuple[str, str], ...] = ()
    scales_together: bool = False  # scales matter only if all are given
    scales_fit: bool = False  # a scale matters only if it fits the sizes
    input_size_note: str = ""
    format_note: str = ""
    input_size_follows_format: bool = False
    scale_names: tuple[str, ...] = ()  # none: scalesD, scalesH, scalesW
    result: str = "gradInput"
    scale_note: str = ""
    negative_means_none: bool = False  # for arrays, a negative scale is none
    planned_in: str = ""  # the namespace with the arithmetic of the device; none: that of the operator's name

    @property
    def scales(self) -> tuple[str, ...]:
        return self.scale_names or tuple(f"scales{axis}" for axis in self.axes)

    @property
    def grad_out(self) -> TensorCase:
        return TensorCase("float32", (1, 2, *self.sizes(4)), self.orders[0])

    @property
    def grad_input(self) -> TensorCase:
        return TensorCase("float32", (1, 2, *self.sizes(2)), self.orders[0])

    @property
    def valid(self) -> CallCase:
        return self._call(self.grad_out, self.grad_input)

    @property
    def sample(self) -> Sample:
        cells, first = 2**self.count, self.orders[0]
        values = tuple(float(value) for value in range(1, 4 * cells + 1))
        sums = tuple(sum(values[plane * cells : (plane + 1) * cells]) for plane in range(4))
        return Sample(
            f"every cell of a {'x'.join('2' * self.count)} block returns to the one cell it came from",
            self._call(
                TensorCase("float32", (2, 2, *self.sizes(2)), first, values=values),
                TensorCase("float32", (2, 2, *self.sizes(1)), first),
            ),
            (sums,),
        )

    @property
    def arguments(self) -> tuple[Argument, ...]:
        used = "used only if all are above 0" if self.scales_together else "0: not given"
        gradient = Argument(
            "gradOut",
            "tensor",
            "Gradient of the forward pass's output.",
            dtypes=self.dtypes,
            array_dtypes=self.array_dtypes,
            lacking=self.lacking,
            formats=self.orders if self.count > 1 else ("NCL", "ND"),
            ranks=(2 + self.count,),
        )
        names = ", ".join(self.axes)
        return (
            gradient,
            Argument("outputSize", "int_array", f"{names} of gradOut."),
            Argument(
                "inputSize",
                "int_array",
                f"N, C, {names} of {self.result}. {self.input_size_note}".rstrip(),
                begins_with_batch=True,
            ),
            *(
                Argument(
                    name,
                    "double",
                    f"Factor of the forward pass along {axis}, gradOut size / {self.result} size; {used}.",
                    known_as=f"scales{axis if self.count > 1 else ''}",
                )
                for name, axis in zip(self.scales, self.axes, strict=True)
            ),
            replace(gradient, name=self.result, doc="Gradient of the forward pass's input: the result.", role="output"),
        )

    def operator(
        self, partner: str, c_name: str, header: str, extra: tuple[Rule, ...] = (), samples: tuple[Sample, ...] = ()
    ) -> OpSpec:
        """``extra`` stands between the rules about shapes and those about formats and scales."""
        name = f"{partner}_backward"
        mode, begin = ("nearest-exact", "i*s - 0.5") if self.exact else ("nearest", "i*s")
        traits: dict[str, Any] = {"mode": mode}
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            summary=f"Gradient of {self.count}-D {mode} upsampling: each input cell sums the gradients of its copies.",
            formula=f"{self.result}[n,c,i] = sum of gradOut[n,c,o] for o in [b(i), b(i+1)), "
            f"b(i) = min(ceil({begin}), outSize)",
            arguments=self.arguments,
            socs=self.socs,
            device_socs=self.device_socs,
            valid=self.valid,
            rules=self._rules(extra),
            samples=samples or (self.sample,),
            family="upsample",
            partner=partner,
            is_gradient=True,
            native="upsample_backward",
            planned_in=self.planned_in or name,
            doc=self._doc(name),
            aten=f"_{name}" if self.exact else name,
            scales_together=self.scales_together,
            scales_fit=self.scales_fit,
            axes=self.axes,
            data_formats=self.orders if self.count > 1 else self.orders[:1],
            channels_last_arrays=self.count == 1,
            input_size_follows_format=self.input_size_follows_format,
            has_map_rule=True,
            **traits,
        )

    def _doc(self, name: str) -> str:
        last = self.orders[1]
        together = ' ``rule="device"`` uses them only if all three are given.'
        return doc_of(
            self,
            name,
            self.exact,
            self.arguments,
            or_last=f'; for ``data_format="{last}"`` also N, {self.names}, C',
            note=f" {self.scale_note}" if self.scale_note else together if self.scales_together else "",
            **({"own": ", if it was called with factors"} if self.scales_together else {}),
        )

    def _rules(self, extra: tuple[Rule, ...]) -> tuple[Rule, ...]:
        first = self.scales[0]
        return (
            *null_rules(self.arguments),
            *soc_rule(self.socs, self.device_socs),
            tensor_shape_rule("gradOut", self.grad_out),
            *self._type_rules(),
            *self._size_rules(),
            *extra,
            *self._order_rules(),
            *([scales_negative_rule(first, ARRAY)] if not self.negative_means_none else []),
            scales_infinite_rule(first),
        )

    def _order_rules(self) -> tuple[Rule, ...]:
        last = self.orders[1]
        if self.count == 1:  # every format is read alike
            return ()
        violation = {self.result: self.grad_input.but(format=last)}
        return (same_axis_order_rule("gradOut", self.result, last, violation, self.format_note),)

    def consistent(
        self, batch: tuple[int, int], output: tuple[int, ...], size: tuple[int, ...]
    ) -> dict[str, Value | str]:
        """Arguments that agree with each other; the tensors are large by their shape alone."""

        def expanded(*shape: int) -> TensorCase:
            return TensorCase("float32", shape, self.orders[0], strides=(0,) * len(shape))

        return {
            "gradOut": expanded(*batch, *output),
            "outputSize": output,
            "inputSize": (*batch, *size),
            self.result: expanded(*batch, *size),
        }

    def _call(self, grad_out: TensorCase, grad_input: TensorCase) -> CallCase:
        scales = dict.fromkeys(self.scales, 0.0)
        sizes = {"outputSize": grad_out.shape[2:], "inputSize": grad_input.shape}
        return CallCase({"gradOut": grad_out, **sizes, **scales, self.result: grad_input})

    def _type_rules(self) -> tuple[Rule, ...]:
        gradient = self.arguments[0]
        lacking = []
        if self.lacking:
            soc, dtype = self.lacking[0]
            tensors = {"gradOut": self.grad_out.but(dtype=dtype), self.result: self.grad_input.but(dtype=dtype)}
            lacking.append(soc_dtype_rule(gradient, {**tensors, "soc": soc}))
        return (
            dtype_rule(gradient, self.grad_out.but(dtype="int32")),
            *lacking,
            same_dtype_rule(self.result, "gradOut", self.grad_input.but(dtype="float16")),
            rank_rule(gradient, self.grad_out.but(shape=(2, *self.sizes(4)))),
        )

    def _size_rules(self) -> tuple[Rule, ...]:
        names, count = self.names, self.count
        return (
            length_rule("outputSize", (count,), f"({names} of {{gradOut}})", self.wrong_length(4)),
            length_rule("inputSize", (2 + count,), f"(N, C, {names} of the result)", (1, 2, *self.wrong_length(2))),
            Rule(
                "input_size_positive",
                f"{names} of inputSize must be above 0; N and C must not be negative.",
                {"inputSize": (1, 2, *self.with_zero(2))},
            ),
            Rule(
                "input_size_bytes",
                "A tensor of inputSize must have fewer than 2^63 bytes.",
                {"inputSize": (1, 2, *self.beyond_bytes)},
            ),
            positive_rule("outputSize", self.with_zero(4)),
            Rule(
                "grad_out_shape",
                f"gradOut must be [N, C, *outputSize]{self.or_channels_last}, with N and C of inputSize.",
                {"gradOut": self.grad_out.but(shape=(1, 2, *self.sizes(4)[1:], 5))},
            ),
            Rule(
                f"{snake_case(self.result)}_shape",
                f"{self.result} must have the shape inputSize"
                + (f", [N, {names}, C] in {self.orders[1]}." if count > 1 else "."),
                {self.result: self.grad_input.but(shape=(1, 2, *self.sizes(2)[1:], 3))},
            ),
        )


VOLUMES = UpsamplingGradient(
    "DHW",
    exact=True,
    dtypes=("float32", "float16", "bfloat16"),
    socs=("Ascend910B", "Ascend910_93"),
    device_socs=("Ascend950",),
    array_dtypes=("float64",),
    scales_together=True,
    planned_in="upsample_volume_backward",
    input_size_note="With NDHWC tensors N, D, H, W, C is taken too, except by the device profile.",
    format_note=" (The device answers 561103.)",
)
"""As the 3-D operator of nearest-exact upsampling has it."""


FACTOR_RULE = Rule(
    "scale_factor",
    "No axis may be enlarged more than 50 times: each scale, or outputSize / inputSize where it is not given.",
    {"scalesD": 51.0},
    ACLNN,
)


def limit_rules(parts: UpsamplingGradient) -> tuple[Rule, ...]:
    """What the documents say about the hardware of the 3-D operators."""
    return (
        Rule(
            "dim_limit",
            "No dimension of gradOut and gradInput may be above 2^20.",
            parts.consistent((2**20 + 1, 1), (1, 1, 1), (1, 1, 1)),
            DOCUMENTED,
        ),
        Rule(
            "memory_limit",
            "N*C*(oD*oH*oW + D*H*W + oD*oH*W + oD*H*W) float32 values must take less than 60 GiB (oD, oH, oW of "
            "gradOut).",
            parts.consistent((1, 1), (1, 2**14, 2**20), (1, 2**14, 2**15)),
            DOCUMENTED,
        ),
        Rule(
            "rows_limit",
            "gradOut must have fewer than 2^31 rows: N*C*D*H.",
            parts.consistent((2**11, 2**20), (1, 1, 1), (1, 1, 1)),
            DOCUMENTED,
        ),
        Rule(
            "plane_limit",
            "gradInput must have fewer than 2^31 cells per plane: H*W.",
            parts.consistent((1, 1), (1, 1, 1), (1, 2**11, 2**20)),
            DOCUMENTED,
        ),
        Rule(
            "output_size_scale",
            "If all scales are above 0, each outputSize must be inputSize times its scale, rounded down.",
            {"scalesD": 3.0, "scalesH": 3.0, "scalesW": 3.0},
            DOCUMENTED,
        ),
    )
