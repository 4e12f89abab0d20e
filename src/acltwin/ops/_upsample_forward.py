"""What the declarations of the upsamplings share."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from acltwin.ops._rules import (
    dtype_rule,
    format_rule,
    length_rule,
    null_rules,
    positive_rule,
    rank_rule,
    same_axis_order_rule,
    same_dtype_rule,
    same_format_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.spec import (
    ACLNN,
    ARRAY,
    DOCUMENTED,
    EVERYWHERE,
    Argument,
    CallCase,
    Judge,
    Kind,
    Rule,
    Sample,
    TensorCase,
)

COPIED = ("uint8", "int8", "int16", "uint16", "int32", "int64", "bool")  # masks and scans: cells are copied as they are


@dataclass(frozen=True)
class Upsampling:
    """The declaration's parts for the axes ``"DHW"`` or ``"HW"``."""

    axes: str
    dtypes: tuple[str, ...]
    array_dtypes: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()  # beside the two orders of the axes
    scale_kind: Kind = "double"
    scales_together: bool = False  # scales count only if all are given
    empty_succeeds_first: bool = False
    other_formats_refused: bool = False
    negative_scales: tuple[Judge, ...] = ARRAY  # who refuses them

    @property
    def orders(self) -> tuple[str, str]:
        """The orders of a tensor's axes, channels first and last."""
        return f"NC{self.axes}", f"N{self.axes}C"

    @property
    def source(self) -> TensorCase:
        return self._tensor(2)

    @property
    def result(self) -> TensorCase:
        return self._tensor(4)

    @property
    def valid(self) -> CallCase:
        return self._call(self.source, self._sizes(4), self.result)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        used = "used only if all are above 0" if self.scales_together else "0: not given"
        source = Argument(
            "self",
            "tensor",
            "The tensor to enlarge.",
            dtypes=self.dtypes,
            array_dtypes=(*self.array_dtypes, *(dtype for dtype in COPIED if dtype not in self.dtypes)),
            formats=(*self.orders, *self.formats),
            ranks=(2 + len(self.axes),),
        )
        return (
            source,
            Argument("outputSize", "int_array", f"{', '.join(self.axes)} of out."),
            *(
                Argument(f"scales{axis}", self.scale_kind, f"Factor along {axis}, out size / self size; {used}.")
                for axis in self.axes
            ),
            replace(source, name="out", doc="The enlarged tensor: the result.", role="output"),
        )

    @property
    def sample(self) -> Sample:
        values = (1.0, 2.0, 3.0, 4.0)
        first = self.orders[0]
        call = self._call(
            TensorCase("float32", (2, 2, *self._sizes(1)), first, values=values),
            self._sizes(2),
            TensorCase("float32", (2, 2, *self._sizes(2)), first),
        )
        copies = 2 ** len(self.axes)
        title = f"every cell fills a block of {'x'.join('2' * len(self.axes))}"
        return Sample(title, call, (tuple(value for value in values for _ in range(copies)),))

    def rules(
        self,
        socs: tuple[str, ...],
        device_socs: tuple[str, ...] = (),
        extra: tuple[Rule, ...] = (),
    ) -> tuple[Rule, ...]:
        """All rules in order; ``extra`` stands between those about shapes and those about formats and scales."""
        return (
            *null_rules(self.arguments),
            *soc_rule(socs, device_socs),
            tensor_shape_rule("self", self.source),
            *self._geometry_rules(),
            *extra,
            *self._format_rules(),
        )

    def _sizes(self, size: int) -> tuple[int, ...]:
        return (size,) * len(self.axes)

    def _tensor(self, size: int) -> TensorCase:
        return TensorCase("float32", (1, 2, *self._sizes(size)), self.orders[0])

    def _call(self, source: TensorCase, size: tuple[int, ...], result: TensorCase) -> CallCase:
        scales = {f"scales{axis}": 0.0 for axis in self.axes}
        return CallCase({"self": source, "outputSize": size, **scales, "out": result})

    def _geometry_rules(self) -> tuple[Rule, ...]:
        names, rest = ", ".join(self.axes), self._sizes(4)[2:]
        source, result = self.source, self.result
        shape = "upsample"
        return (
            dtype_rule(self.arguments[0], source.but(dtype="uint32")),
            same_dtype_rule("out", "self", result.but(dtype="float16")),
            rank_rule(self.arguments[0], source.but(shape=(2, *self._sizes(2)))),
            *([format_rule(self.arguments[0], source.but(format="HWCN"))] if self.other_formats_refused else []),
            length_rule("outputSize", (len(self.axes),), f"({names} of the result)", self._sizes(4)[1:]),
            Rule(
                "self_size",
                f"{names} of self must be above 0; N and C may be 0.",
                {"self": source.but(shape=(1, 2, *self._sizes(2)[2:], 0, 2))},
                ARRAY if self.empty_succeeds_first else EVERYWHERE,
                shared=shape,
            ),
            *self._channel_rules(),
            positive_rule("outputSize", (*rest, 0, 4)),
            Rule(
                "output_size_bytes",
                "A tensor of self's N and C and of outputSize must have fewer than 2^63 bytes.",
                {"outputSize": (*rest, 2**40, 2**40)},
                shared=shape,
            ),
            Rule(
                "out_shape",
                f"out must be [N, C, *outputSize], or [N, *outputSize, C] in {self.orders[1]}, with N and C of self.",
                {"out": result.but(shape=(1, 2, *self._sizes(4)[1:], 5))},
                shared=shape,
            ),
        )

    def _channel_rules(self) -> tuple[Rule, ...]:
        """Where an empty tensor does not succeed at once, the device refuses one without channels."""
        if self.empty_succeeds_first:
            return ()
        empty = {
            "self": self.source.but(shape=(1, 0, *self._sizes(2))),
            "out": self.result.but(shape=(1, 0, *self._sizes(4))),
        }
        return (Rule("self_channels", "C of self must be above 0; N may be 0.", empty, ACLNN, shared="upsample"),)

    def _format_rules(self) -> tuple[Rule, ...]:
        last = self.orders[1]
        other = {"out": self.result.but(format=last, shape=(1, *self._sizes(4), 2))}
        same_order = same_axis_order_rule("out", "self", last, other)
        scale = f"scales{self.axes[0]}"
        return (
            same_format_rule(("out",), "self", other) if self.empty_succeeds_first else same_order,
            scales_negative_rule(scale, self.negative_scales),
            scales_infinite_rule(scale),
        )


def scales_negative_rule(scale: str, judges: tuple[Judge, ...]) -> Rule:
    return Rule(
        "scales_negative", "No scale may be negative; 0 means not given.", {scale: -1.0}, judges, shared="scale"
    )


def scales_infinite_rule(scale: str) -> Rule:
    return Rule(
        "scales_infinite", "Every scale must be finite; 0 means not given.", {scale: math.inf}, ARRAY, shared="scale"
    )


OUTPUT_SIZE_SCALE = Rule(
    "output_size_scale",
    "If all scales are above 0, each outputSize must be self's size times its scale, rounded down.",
    {"scalesD": 3.0, "scalesH": 3.0, "scalesW": 3.0},
    DOCUMENTED,
    shared="upsample",
)
