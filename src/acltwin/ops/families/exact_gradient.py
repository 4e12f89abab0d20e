"""The gradients of nearest-exact upsampling along one and two axes, which look at gradOutput and not at outputSize."""

from __future__ import annotations

from dataclasses import dataclass, replace

from acltwin.ops._rules import (
    dtype_rule,
    length_rule,
    null_rules,
    positive_rule,
    rank_rule,
    same_dtype_rule,
    same_format_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import Axes, wider
from acltwin.ops.families.nearest import scales_infinite_rule, scales_negative_rule
from acltwin.ops.families.nearest_gradient import doc_of
from acltwin.ops.spec import ACLNN, ARRAY, EVERYWHERE, Argument, CallCase, OpSpec, Rule, Sample, TensorCase, Value


@dataclass(frozen=True)
class ExactGradient(Axes):
    """An operator of some axes."""

    socs: tuple[str, ...]
    device_socs: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    scale_names: tuple[str, ...] = ()  # none: scalesH, scalesW
    empty_succeeds_first: bool = False  # otherwise the device rejects an empty gradOutput

    @property
    def scales(self) -> tuple[str, ...]:
        return self.scale_names or tuple(f"scales{axis}" for axis in self.axes)

    @property
    def grad_output(self) -> TensorCase:
        return self.tensor(4, 4, 4).but(format=self.orders[0])

    @property
    def out(self) -> TensorCase:
        return self.tensor(2, 2, 2).but(format=self.orders[0])

    def call(self, grad: TensorCase, out: TensorCase, scale: float = 0.0) -> CallCase:
        """A call with the same scale along every axis."""
        sizes: dict[str, Value] = {"outputSize": grad.shape[2:], "inputSize": out.shape}
        return CallCase({"gradOutput": grad, **sizes, **dict.fromkeys(self.scales, scale), "out": out})

    @property
    def arguments(self) -> tuple[Argument, ...]:
        gradient = Argument(
            "gradOutput",
            "tensor",
            "Gradient of the forward pass's output.",
            dtypes=self.dtypes,
            array_dtypes=("float64",),
            formats=(self.orders[0], "ND"),
            ranks=(2 + self.count,),
        )
        compared = "whose own size counts: these values are not compared with it."
        factor = "gradOutput size / out size; 0: not given."
        return (
            gradient,
            Argument("outputSize", "int_array", f"{self.names} of gradOutput, {compared}"),
            Argument("inputSize", "int_array", f"N, C, {self.names} of out.", begins_with_batch=True),
            *(
                Argument(name, "double", f"Factor of the forward pass along {axis}, {factor}")
                for name, axis in zip(self.scales, self.axes, strict=True)
            ),
            replace(gradient, name="out", doc="Gradient of the forward pass's input: the result.", role="output"),
        )

    @property
    def _rules(self) -> tuple[Rule, ...]:
        arguments, grad, out, first = self.arguments, self.grad_output, self.out, self.scales[0]
        note = " (Through aclnn an empty gradOutput or out succeeds before this rule.)"
        each = " and ".join(self.axes)
        return (
            *null_rules(arguments),
            *soc_rule(self.socs, self.device_socs),
            tensor_shape_rule("gradOutput", grad),
            dtype_rule(arguments[0], grad.but(dtype="int32"), note if self.empty_succeeds_first else ""),
            same_dtype_rule("out", "gradOutput", out.but(dtype="float16")),
            same_format_rule(("out",), "gradOutput", {"out": out.but(format="ND")}),
            rank_rule(arguments[0], grad.but(shape=(2, *grad.shape[2:]))),
            rank_rule(arguments[-1], out.but(shape=(2, *out.shape[2:]))),
            length_rule("inputSize", (2 + self.count,), f"(N, C, {self.names} of the result)", out.shape[:-1]),
            length_rule("outputSize", (self.count,), f"({self.names} of {{gradOutput}})", self.wrong_length(4)),
            *self._format_rules,
            Rule("out_batch", "out must have gradOutput's N and C.", {"out": out.but(shape=(1, 3, *out.shape[2:]))}),
            Rule(
                "input_size_batch",
                "inputSize must begin with gradOutput's N and C.",
                {"inputSize": (1, 3, *out.shape[2:])},
                ARRAY,
            ),
            scales_negative_rule(first, EVERYWHERE),
            scales_infinite_rule(first),
            Rule(
                "scale_factor",
                "No axis may be enlarged more than 50 times: each scale, or gradOutput / inputSize where it is not "
                "given.",
                {first: 51.0},
                ACLNN,
            ),
            Rule(
                "input_size_positive",
                f"{each} of inputSize must be above 0.",
                {"inputSize": (1, 2, *self.with_zero(2)), **dict.fromkeys(self.scales, 1.0)},
            ),
            *self._empty_rules,
            Rule(
                "input_size_bytes",
                "A tensor of inputSize must have fewer than 2^63 bytes.",
                {"inputSize": (1, 2, *self.beyond_bytes)},
                ARRAY,
            ),
            Rule("out_shape", f"out must have the {each} of inputSize.", {"out": wider(out)}),
            positive_rule("outputSize", self.with_zero(4), ("array", "documented")),
        )

    @property
    def _format_rules(self) -> tuple[Rule, ...]:
        if self.count == 1:  # every format is read alike
            return ()
        last = {"gradOutput": self.grad_output.but(format="NHWC"), "out": self.out.but(format="NHWC")}
        return (Rule("grad_output_format", "The format must not be NHWC.", last, ACLNN),)

    @property
    def _empty_rules(self) -> tuple[Rule, ...]:
        if self.empty_succeeds_first:
            return ()
        tensors = {"gradOutput": self.grad_output, "out": self.out}
        empty = {name: tensor.but(shape=(0, *tensor.shape[1:])) for name, tensor in tensors.items()}
        return (Rule("grad_output_size", "No dimension of gradOutput may be 0.", empty, ACLNN),)

    def operator(self, partner: str, c_name: str, header: str, samples: tuple[Sample, ...]) -> OpSpec:
        name = f"{partner}_backward"
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            summary=f"Gradient of {self.count}-D nearest-exact upsampling: each input cell sums the gradients of its "
            "copies.",
            formula="out[n,c,i] = sum of gradOutput[n,c,o] for o in [b(i), b(i+1)), "
            "b(i) = min(ceil(i*s - 0.5), outSize)",
            arguments=self.arguments,
            socs=self.socs,
            device_socs=self.device_socs,
            valid=self.call(self.grad_output, self.out),
            rules=self._rules,
            samples=samples,
            family="upsample",
            partner=partner,
            is_gradient=True,
            native="exact_backward",
            doc=doc_of(
                self,
                name,
                True,
                self.arguments,
                format="",
                size_note=" As on the device, the size of ``grad_output`` itself counts.",
            ),
            aten=f"_{name}",
            mode="nearest-exact",
            axes=self.axes,
            data_formats=self.orders[:1],
            has_map_rule=True,
            empty_succeeds_first=self.empty_succeeds_first,
        )
