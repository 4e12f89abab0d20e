"""Nearest and nearest-exact upsampling."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

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
    soc_dtype_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import INTEGERS, Axes, wrapped
from acltwin.ops.spec import (
    ACLNN,
    ARRAY,
    DOCUMENTED,
    EVERYWHERE,
    Argument,
    CallCase,
    Judge,
    Kind,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
    Value,
)

_DOC = """{count}-D {mode} upsampling.

{copies}

Args:
    input: the tensor to enlarge, {rank}-D; floats, integers of up to 64 bits or bool, such as images, scans and \
masks. Elements are copied as they are.
    output_size: {names} of the result{one_size}. It may also be smaller than the input.
    {scales}: the {factors}, result size / input size{own}; 0 or None: not given.{note}
    scale_factor: result size / input size, one number{per_axis}, instead of ``output_size``: sizes are rounded down, \
and the factors are used as scales.
    data_format: order of the axes of ``input`` and the result.
    rule: who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.
    out: where to write the result, instead of a new array.

Returns:
    The enlarged tensor, an array of the same kind and dtype as ``input``.

>>> import numpy as np
>>> image = np.array([1, 2, 3], np.float32).reshape({ones}, 3)
>>> {name}(image, {size}).ravel().tolist()
[1.0, {second}, 2.0, 3.0]
"""
_NEAREST = """Each output cell copies one input cell. Along one axis, output cell ``o`` copies input cell
``min(floor(o * t), input size - 1)`` with ``t = 1 / scale``, or ``input size / output size`` where no scale is
given."""
_EXACT = """Each output cell copies the input cell that lies under its centre. Along one axis, output cell ``o``
copies input cell ``min(floor((o + 0.5) * t), input size - 1)`` with ``t = 1 / scale``, or ``input size / output size``
where no scale is given."""


@dataclass(frozen=True)
class Upsampling(Axes):
    """An operator of some axes."""

    exact: bool
    dtypes: tuple[str, ...]
    socs: tuple[str, ...]
    device_socs: tuple[str, ...] = ()
    array_dtypes: tuple[str, ...] = ()
    formats: tuple[str, ...] | None = None  # none: the two orders of the axes
    scale_names: tuple[str, ...] = ()  # none: scalesD, scalesH, scalesW
    scale_note: str = ""  # what the device makes of scales
    lacking: tuple[tuple[str, str], ...] = ()  # (SoC, dtype)
    unscaled_dtypes: tuple[str, ...] = ()
    batch_needed: bool = False  # N = 0 is rejected as well
    planned_in: str = ""  # the namespace with the arithmetic of the device; none: that of the operator's name
    scale_kind: Kind = "double"
    scaled: bool = True  # whether it takes scales
    scales_together: bool = False  # scales count only if all are given
    empty_succeeds_first: bool = False
    empty_succeeds: bool = False  # once all rules have passed
    no_scale: float = 0.0  # what the example passes for no scale
    null_codes: tuple[tuple[str, int], ...] = ()  # (argument, status) where a null pointer is not 161001
    other_formats_refused: bool = False
    negative_scales: tuple[Judge, ...] = ARRAY  # who refuses them

    @property
    def scales(self) -> tuple[str, ...]:
        return (self.scale_names or tuple(f"scales{axis}" for axis in self.axes)) if self.scaled else ()

    @property
    def source(self) -> TensorCase:
        return self._tensor(2)

    @property
    def result(self) -> TensorCase:
        return self._tensor(4)

    @property
    def valid(self) -> CallCase:
        return self._call(self.source, self.sizes(4), self.result)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        used = "used only if all are above 0" if self.scales_together else "0: not given"
        source = Argument(
            "self",
            "tensor",
            "The tensor to enlarge.",
            dtypes=self.dtypes,
            array_dtypes=(*self.array_dtypes, *(dtype for dtype in INTEGERS if dtype not in self.dtypes)),
            formats=self.orders if self.formats is None else self.formats,
            ranks=(2 + self.count,),
            lacking=self.lacking,
        )
        return (
            source,
            Argument("outputSize", "int_array", f"{', '.join(self.axes)} of out."),
            *(
                Argument(
                    name,
                    self.scale_kind,
                    f"Factor along {axis}, out size / self size; {used}.",
                    known_as=f"scales{axis if self.count > 1 else ''}",
                )
                for name, axis in zip(self.scales, self.axes, strict=False)
            ),
            replace(source, name="out", doc="The enlarged tensor: the result.", role="output"),
        )

    @property
    def sample(self) -> Sample:
        values = (1.0, 2.0, 3.0, 4.0)
        first = self.orders[0]
        call = self._call(
            TensorCase("float32", (2, 2, *self.sizes(1)), first, values=values),
            self.sizes(2),
            TensorCase("float32", (2, 2, *self.sizes(2)), first),
        )
        copies = 2**self.count
        title = f"every cell fills a block of {'x'.join('2' * self.count)}"
        return Sample(title, call, (tuple(value for value in values for _ in range(copies)),))

    def operator(
        self, name: str, c_name: str, header: str, extra: tuple[Rule, ...] = (), samples: tuple[Sample, ...] = ()
    ) -> OpSpec:
        """``extra`` stands between the rules about shapes and those about formats and scales."""
        mode, where = ("nearest-exact", "(o + 0.5)*t") if self.exact else ("nearest", "o*t")
        copied = "under its centre" if self.exact else "at or before its own place"
        traits: dict[str, Any] = {"mode": mode}
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            summary=f"{self.count}-D {mode} upsampling: each output cell copies the input cell {copied}.",
            formula=f"out[n,c,o] = self[n,c,min(floor({where}), inSize - 1)], t = 1/scale or inSize/outSize",
            arguments=self.arguments,
            socs=self.socs,
            device_socs=self.device_socs,
            valid=self.valid,
            rules=self._rules(extra),
            samples=samples or (self.sample,),
            family="upsample",
            partner=f"{name}_backward",
            is_gradient=False,
            native="upsample",
            planned_in=self.planned_in or name,
            doc=self._doc(name, mode),
            aten=f"_{name}" if self.exact else name,
            scales_together=self.scales_together,
            unscaled_dtypes=self.unscaled_dtypes,
            axes=self.axes,
            data_formats=self.orders if self.count > 1 else self.orders[:1],
            channels_last_arrays=self.count == 1,
            has_map_rule=True,
            empty_succeeds_first=self.empty_succeeds_first,
            **traits,
        )

    def _doc(self, name: str, mode: str) -> str:
        several = self.count > 1
        together = f'``rule="device"`` uses them only if {"all three" if self.count == 3 else "both"} are given.'
        note = self.scale_note or (together if self.scales_together else "")
        doc = _DOC.format(
            name=name,
            count=self.count,
            mode=mode,
            rank=2 + self.count,
            copies=_EXACT if self.exact else _NEAREST,
            names=self.names,
            one_size=", or one size for all axes" if several else "",
            per_axis=" or one per axis" if several else "",
            scales=", ".join(argument.python_name for argument in self.arguments if argument.is_scale),
            factors="factors" if several else "factor",
            own="" if self.scales_together or not several else ", each on its own",
            note=f" {note}" if note else "",
            ones=", ".join(["1"] * (1 + self.count)),
            size=self.cut(1, 1, 4) if several else "(4,)",
            second="2.0" if self.exact else "1.0",
        )
        return wrapped(doc)

    def _rules(self, extra: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return (
            *null_rules(self.arguments, dict(self.null_codes)),
            *soc_rule(self.socs, self.device_socs),
            tensor_shape_rule("self", self.source),
            *self._geometry_rules(),
            *extra,
            *self._format_rules(),
        )

    def _tensor(self, size: int) -> TensorCase:
        return TensorCase("float32", (1, 2, *self.sizes(size)), self.orders[0])

    def _call(self, source: TensorCase, size: tuple[int, ...], result: TensorCase) -> CallCase:
        scales = dict.fromkeys(self.scales, self.no_scale)
        return CallCase({"self": source, "outputSize": size, **scales, "out": result})

    def _geometry_rules(self) -> tuple[Rule, ...]:
        names, source, result = self.names, self.source, self.result
        return (
            dtype_rule(self.arguments[0], source.but(dtype="uint32")),
            *self._lacking_rules(),
            same_dtype_rule("out", "self", result.but(dtype="float16")),
            rank_rule(self.arguments[0], source.but(shape=(2, *self.sizes(2)))),
            *([format_rule(self.arguments[0], source.but(format="HWCN"))] if self.other_formats_refused else []),
            length_rule("outputSize", (self.count,), f"({names} of the result)", self.wrong_length(4)),
            Rule(
                "self_size",
                f"{names} of self must be above 0; N and C may be 0.",
                {"self": source.but(shape=(1, 2, *self.with_zero(2)))},
                ARRAY if self.empty_succeeds_first or self.empty_succeeds else EVERYWHERE,
            ),
            *self._channel_rules(),
            positive_rule("outputSize", self.with_zero(4)),
            Rule(
                "output_size_bytes",
                "A tensor of self's N and C and of outputSize must have fewer than 2^63 bytes.",
                {"outputSize": self.beyond_bytes},
            ),
            Rule(
                "out_shape",
                f"out must be [N, C, *outputSize]{self.or_channels_last}, with N and C of self.",
                {"out": result.but(shape=(1, 2, *self.sizes(4)[1:], 5))},
            ),
        )

    def _channel_rules(self) -> tuple[Rule, ...]:
        """Where an empty tensor does not succeed at once, the device refuses one without channels."""
        if self.empty_succeeds_first or self.empty_succeeds:
            return ()

        def empty(*batch: int) -> dict[str, TensorCase]:
            return {
                "self": self.source.but(shape=(*batch, *self.sizes(2))),
                "out": self.result.but(shape=(*batch, *self.sizes(4))),
            }

        channels = Rule(
            "self_channels",
            "C of self must be above 0" + ("." if self.batch_needed else "; N may be 0."),
            empty(1, 0),
            ACLNN,
        )
        batch = Rule("self_batch", "N of self must be above 0.", empty(0, 2), ACLNN)
        return (channels, batch) if self.batch_needed else (channels,)

    def _lacking_rules(self) -> tuple[Rule, ...]:
        if not self.lacking:
            return ()
        soc, dtype = self.lacking[0]
        tensors: dict[str, Value | str] = {
            "self": self.source.but(dtype=dtype),
            "out": self.result.but(dtype=dtype),
            "soc": soc,
        }
        return (soc_dtype_rule(self.arguments[0], tensors),)

    def _format_rules(self) -> tuple[Rule, ...]:
        last, scales = self.orders[1], self.scales[:1]
        of_scales = [
            rule
            for scale in scales
            for rule in (scales_negative_rule(scale, self.negative_scales), scales_infinite_rule(scale))
            if rule.judges
        ]
        if self.count == 1:
            other = {"out": self.result.but(format="ND")}
            return (*([same_format_rule(("out",), "self", other)] if self.other_formats_refused else []), *of_scales)
        other = {"out": self.result.but(format=last, shape=(1, *self.sizes(4), 2))}
        same_order = same_axis_order_rule("out", "self", last, other)
        equal = self.empty_succeeds_first or self.other_formats_refused
        return same_format_rule(("out",), "self", other) if equal else same_order, *of_scales


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
)
