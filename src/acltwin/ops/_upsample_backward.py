"""What the declarations of the upsamplings' gradients share."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from acltwin.ops._upsample_forward import scales_infinite_rule, scales_negative_rule
from acltwin.ops.spec import ACLNN, ARRAY, DOCUMENTED, Argument, CallCase, Rule, Sample, TensorCase, Value

_SHARED = "upsample_backward"


@dataclass(frozen=True)
class UpsamplingGradient:
    """The declaration's parts for the axes ``"DHW"`` or ``"HW"``."""

    axes: str
    dtypes: tuple[str, ...]
    array_dtypes: tuple[str, ...] = ()
    lacking: tuple[tuple[str, str], ...] = ()
    scales_together: bool = False  # scales count only if all are given
    input_size_note: str = ""
    format_note: str = ""

    @property
    def orders(self) -> tuple[str, str]:
        """The orders of a tensor's axes, channels first and last."""
        return f"NC{self.axes}", f"N{self.axes}C"

    @property
    def grad_out(self) -> TensorCase:
        return TensorCase("float32", (1, 2, *self._sizes(4)), self.orders[0])

    @property
    def grad_input(self) -> TensorCase:
        return TensorCase("float32", (1, 2, *self._sizes(2)), self.orders[0])

    @property
    def valid(self) -> CallCase:
        return self._call(self.grad_out, self.grad_input)

    @property
    def sample(self) -> Sample:
        cells, first = 2 ** len(self.axes), self.orders[0]
        values = tuple(float(value) for value in range(1, 4 * cells + 1))
        sums = tuple(sum(values[plane * cells : (plane + 1) * cells]) for plane in range(4))
        return Sample(
            f"every cell of a {'x'.join('2' * len(self.axes))} block returns to the one cell it came from",
            self._call(
                TensorCase("float32", (2, 2, *self._sizes(2)), first, values=values),
                TensorCase("float32", (2, 2, *self._sizes(1)), first),
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
            formats=self.orders,
            ranks=(2 + len(self.axes),),
        )
        names = ", ".join(self.axes)
        return (
            gradient,
            Argument("outputSize", "int_array", f"{names} of gradOut."),
            Argument(
                "inputSize", "int_array", f"N, C, {names} of gradInput. {self.input_size_note}", begins_with_batch=True
            ),
            *(
                Argument(
                    f"scales{axis}",
                    "double",
                    f"Factor of the forward pass along {axis}, gradOut size / gradInput size; {used}.",
                )
                for axis in self.axes
            ),
            replace(gradient, name="gradInput", doc="Gradient of the forward pass's input: the result.", role="output"),
        )

    def rules(
        self, socs: tuple[str, ...], device_socs: tuple[str, ...] = (), extra: tuple[Rule, ...] = ()
    ) -> tuple[Rule, ...]:
        """All rules in order; ``extra`` stands between those about shapes and those about formats and scales."""
        first = f"scales{self.axes[0]}"
        return (
            *null_rules(self.arguments),
            *soc_rule(socs, device_socs),
            tensor_shape_rule("gradOut", self.grad_out),
            *self._type_rules(),
            *self._size_rules(),
            *extra,
            same_axis_order_rule(
                "gradOut",
                "gradInput",
                self.orders[1],
                {"gradInput": self.grad_input.but(format=self.orders[1])},
                self.format_note,
            ),
            scales_negative_rule(first, ARRAY),
            scales_infinite_rule(first),
        )

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
            "gradInput": expanded(*batch, *size),
        }

    def _sizes(self, size: int) -> tuple[int, ...]:
        return (size,) * len(self.axes)

    def _call(self, grad_out: TensorCase, grad_input: TensorCase) -> CallCase:
        scales = {f"scales{axis}": 0.0 for axis in self.axes}
        sizes = {"outputSize": grad_out.shape[2:], "inputSize": grad_input.shape}
        return CallCase({"gradOut": grad_out, **sizes, **scales, "gradInput": grad_input})

    def _type_rules(self) -> tuple[Rule, ...]:
        gradient = self.arguments[0]
        lacking = []
        if self.lacking:
            soc, dtype = self.lacking[0]
            tensors = {"gradOut": self.grad_out.but(dtype=dtype), "gradInput": self.grad_input.but(dtype=dtype)}
            lacking.append(soc_dtype_rule(gradient, {**tensors, "soc": soc}))
        return (
            dtype_rule(gradient, self.grad_out.but(dtype="int32")),
            *lacking,
            same_dtype_rule("gradInput", "gradOut", self.grad_input.but(dtype="float16")),
            rank_rule(gradient, self.grad_out.but(shape=(2, *self._sizes(4)))),
        )

    def _size_rules(self) -> tuple[Rule, ...]:
        names, count = ", ".join(self.axes), len(self.axes)
        rest = (4,) * (count - 2)
        return (
            length_rule("outputSize", (count,), f"({names} of {{gradOut}})", self._sizes(4)[1:]),
            length_rule("inputSize", (2 + count,), f"(N, C, {names} of the result)", (1, 2, *self._sizes(2)[1:])),
            Rule(
                "input_size_positive",
                f"{names} of inputSize must be above 0; N and C must not be negative.",
                {"inputSize": (1, 2, *self._sizes(2)[2:], 0, 2)},
                shared=_SHARED,
            ),
            Rule(
                "input_size_bytes",
                "A tensor of inputSize must have fewer than 2^63 bytes.",
                {"inputSize": (1, 2, *self._sizes(2)[2:], 2**40, 2**40)},
                shared=_SHARED,
            ),
            positive_rule("outputSize", (*rest, 0, 4)),
            Rule(
                "grad_out_shape",
                f"gradOut must be [N, C, *outputSize], or [N, *outputSize, C] in {self.orders[1]}, with N and C of "
                "inputSize.",
                {"gradOut": self.grad_out.but(shape=(1, 2, *self._sizes(4)[1:], 5))},
                shared=_SHARED,
            ),
            Rule(
                "grad_input_shape",
                f"gradInput must have the shape inputSize, [N, {names}, C] in {self.orders[1]}.",
                {"gradInput": self.grad_input.but(shape=(1, 2, *self._sizes(2)[1:], 3))},
                shared=_SHARED,
            ),
        )


def volume_gradient(dtypes: tuple[str, ...], array_dtypes: tuple[str, ...] = ()) -> UpsamplingGradient:
    """The parts of a 3-D operator."""
    note = "With NDHWC tensors N, D, H, W, C is taken too, except by the device profile."
    return UpsamplingGradient(
        "DHW",
        dtypes,
        array_dtypes,
        scales_together=True,
        input_size_note=note,
        format_note=" (The device answers 561103.)",
    )


FACTOR_RULE = Rule(
    "scale_factor",
    "No axis may be enlarged more than 50 times: each scale, or outputSize / inputSize where it is not given.",
    {"scalesD": 51.0},
    ACLNN,
    shared=_SHARED,
)


def limit_rules(parts: UpsamplingGradient) -> tuple[Rule, ...]:
    """What the documents say about the hardware of the 3-D operators."""
    return (
        Rule(
            "dim_limit",
            "No dimension of gradOut and gradInput may be above 2^20.",
            parts.consistent((2**20 + 1, 1), (1, 1, 1), (1, 1, 1)),
            DOCUMENTED,
            shared=_SHARED,
        ),
        Rule(
            "memory_limit",
            "N*C*(oD*oH*oW + D*H*W + oD*oH*W + oD*H*W) float32 values must take less than 60 GiB (oD, oH, oW of "
            "gradOut).",
            parts.consistent((1, 1), (1, 2**14, 2**20), (1, 2**14, 2**15)),
            DOCUMENTED,
            shared=_SHARED,
        ),
        Rule(
            "rows_limit",
            "gradOut must have fewer than 2^31 rows: N*C*D*H.",
            parts.consistent((2**11, 2**20), (1, 1, 1), (1, 1, 1)),
            DOCUMENTED,
            shared=_SHARED,
        ),
        Rule(
            "plane_limit",
            "gradInput must have fewer than 2^31 cells per plane: H*W.",
            parts.consistent((1, 1), (1, 1, 1), (1, 2**11, 2**20)),
            DOCUMENTED,
            shared=_SHARED,
        ),
        Rule(
            "output_size_scale",
            "If all scales are above 0, each outputSize must be inputSize times its scale, rounded down.",
            {"scalesD": 3.0, "scalesH": 3.0, "scalesW": 3.0},
            DOCUMENTED,
            shared=_SHARED,
        ),
    )
