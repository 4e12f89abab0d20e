"""What the declarations of the three upsamplings share."""

from __future__ import annotations

import math
from dataclasses import replace

from acltwin.ops.spec import (
    ACLNN,
    ARRAY,
    DOCUMENTED,
    Argument,
    CallCase,
    Judge,
    Rule,
    Sample,
    TensorCase,
    null_rules,
    soc_rule,
    tensor_shape_rule,
)


class Upsampling:
    """The declaration's parts for the axes ``"DHW"`` or ``"HW"``."""

    def __init__(self, axes: str, dtypes: tuple[str, ...], array_dtypes: tuple[str, ...] = ()) -> None:
        self.axes = axes
        self.count = len(axes)
        self.dtypes, self.array_dtypes = dtypes, array_dtypes
        self.first, self.last = f"NC{axes}", f"N{axes}C"
        self.source = TensorCase("float32", (1, 2, *(2,) * self.count), self.first)
        self.result = TensorCase("float32", (1, 2, *(4,) * self.count), self.first)
        self.valid = self._call(self.source, (4,) * self.count, self.result)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        used = "used only if all three are above 0" if self.count == 3 else "0: not given"
        formats = (self.first, self.last) if self.count == 3 else (self.first, self.last, "ND")
        names = ", ".join(self.axes)
        source = Argument(
            "self",
            "tensor",
            "The tensor to enlarge.",
            dtypes=self.dtypes,
            array_dtypes=self.array_dtypes,
            formats=formats,
            ranks=(2 + self.count,),
        )
        return (
            source,
            Argument("outputSize", "int_array", f"{names} of out."),
            *(
                Argument(f"scales{axis}", "double", f"Factor along {axis}, out size / self size; {used}.")
                for axis in self.axes
            ),
            replace(source, name="out", doc="The enlarged tensor: the result.", role="output"),
        )

    @property
    def sample(self) -> Sample:
        values = (1.0, 2.0, 3.0, 4.0)
        call = self._call(
            TensorCase("float32", (2, 2, *(1,) * self.count), self.first, values=values),
            (2,) * self.count,
            TensorCase("float32", (2, 2, *(2,) * self.count), self.first),
        )
        copies = 2**self.count
        title = f"every cell fills a block of {'x'.join('2' * self.count)}"
        return Sample(title, call, (tuple(value for value in values for _ in range(copies)),))

    def rules(
        self, socs: tuple[str, ...], device_socs: tuple[str, ...], extra: tuple[Rule, ...] = ()
    ) -> tuple[Rule, ...]:
        """All rules in order; ``extra`` stands between those about shapes and those about formats and scales."""
        return (
            *null_rules(self.arguments),
            *soc_rule(socs, device_socs),
            tensor_shape_rule("self", self.source),
            *self._geometry_rules(),
            *extra,
            *self._last_rules(),
        )

    def _call(self, source: TensorCase, size: tuple[int, ...], result: TensorCase) -> CallCase:
        scales = {f"scales{axis}": 0.0 for axis in self.axes}
        return CallCase({"self": source, "outputSize": size, **scales, "out": result})

    def _geometry_rules(self) -> tuple[Rule, ...]:
        names, count = ", ".join(self.axes), self.count
        beyond = f"; the array function takes {', '.join(self.array_dtypes)} too" if self.array_dtypes else ""
        return (
            Rule("self_dtype", f"self is {', '.join(self.dtypes)}{beyond}.", {"self": self.source.but(dtype="int32")}),
            Rule("out_dtype", "out has self's dtype.", {"out": self.result.but(dtype="float16")}),
            Rule("self_rank", f"self has {2 + count} dimensions.", {"self": self.source.but(shape=(2, *(2,) * count))}),
            Rule(
                "output_size_length",
                f"outputSize has {count} values: {names} of out.",
                {"outputSize": (4,) * (count - 1)},
            ),
            Rule(
                "self_size",
                f"{names} of self are above 0; N and C may be 0.",
                {"self": self.source.but(shape=(1, 2, *(2,) * (count - 2), 0, 2))},
            ),
            Rule(
                "output_size_positive",
                "The values of outputSize are above 0.",
                {"outputSize": (*(4,) * (count - 2), 0, 4)},
            ),
            Rule(
                "output_size_bytes",
                "A tensor of self's N and C and of outputSize has fewer than 2^63 bytes.",
                {"outputSize": (*(4,) * (count - 2), 2**40, 2**40)},
            ),
            Rule(
                "out_shape",
                f"out is [N, C, *outputSize], or [N, *outputSize, C] in {self.last}, with N and C of self.",
                {"out": self.result.but(shape=(1, 2, *(4,) * (count - 1), 5))},
            ),
        )

    def _last_rules(self) -> tuple[Rule, ...]:
        if self.count == 3:
            formats = f"self and out are both {self.last} or both not."
            negative: tuple[Judge, ...] = ARRAY
        else:
            formats = "self and out have the same format."
            negative = ("array", *ACLNN)
        scale = f"scales{self.axes[0]}"
        other = self.result.but(format=self.last, shape=(1, *(4,) * self.count, 2))
        return (
            Rule("formats_equal", formats, {"out": other}, ACLNN),
            Rule("scales_negative", "No scale is negative; 0 means not given.", {scale: -1.0}, negative),
            Rule("scales_infinite", "Every scale is finite; 0 means not given.", {scale: math.inf}, ARRAY),
        )


OUTPUT_SIZE_SCALE = Rule(
    "output_size_scale",
    "If all scales are above 0, each outputSize is self's size times its scale, rounded down.",
    {"scalesD": 3.0, "scalesH": 3.0, "scalesW": 3.0},
    DOCUMENTED,
)
