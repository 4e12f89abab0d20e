"""Nearest, nearest-exact, linear and cubic upsampling, also anti-aliased."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from acltwin.ops.families import rules
from acltwin.ops.families.docs import document
from acltwin.ops.families.resampling import Resampling, device_rule
from acltwin.ops.spec import ACLNN, ARRAY, DOCUMENTED, INTEGERS, Argument, Check, Judge, OpSpec, Rule, Sample

_DOC = """{count}-D {kind}.

{cells}

    input: the tensor to {enlarge}, {rank}-D; {values}
    output_size: {names} of the result{one_size}. It may also be smaller than the input.
    {align}{scales}: the {factors}, result size / input size{own}; 0 or None: not given. {note}
    scale_factor: result size / input size, one number{per_axis}, instead of ``output_size``: sizes are rounded down, \
and the factors are used as scales.
    data_format: order of the axes of ``input`` and the result.
    rule: {rule}

    The {enlarge}d tensor, an array of the same kind and dtype as ``input``.

>>> {example}
"""
_COPIES = {
    "nearest": """Each output cell copies one input cell. Along one axis, output cell ``o`` copies input cell
``min(floor(o * t), input size - 1)`` with ``t = 1 / scale``, or ``input size / output size`` where no scale is
given.""",
    "nearest-exact": """Each output cell copies the input cell that lies under its centre. Along one axis, output cell
``o`` copies input cell ``min(floor((o + 0.5) * t), input size - 1)`` with ``t = 1 / scale``, or ``input size / output
size`` where no scale is given.""",
}
_COPIED = "floats, integers of up to 64 bits or bool, such as images, scans and masks. Elements are copied as they are."
_EXAMPLE = """image = np.array([1, 2, 3], np.float32).reshape({ones}, 3)
>>> {name}(image, {four}).ravel().tolist()
[1.0, 1.0, 2.0, 3.0]"""
_EXAMPLES = {"nearest": _EXAMPLE, "nearest-exact": _EXAMPLE.replace("[1.0, 1.0", "[1.0, 2.0")}
_PLACE = """Along one axis, output cell ``o`` lies at ``x = (o + 0.5) * t - 0.5`` of the input, ``t = 1 / scale``, or
``input size / output size`` where no scale is given."""
_ALIGNED = """With ``align_corners`` the first and last cells of both lie on each other: ``x = o * t``, ``t = (input
size - 1) / (output size - 1)``."""
_ALIGNED_ANTIALIAS = """With ``align_corners`` only ``t`` is another, ``(input size - 1) / (output size - 1)``, as in
PyTorch: ``x`` stays ``(o + 0.5) * t - 0.5``, so the corners do not lie on each other."""
_WEIGHTS = {
    "linear": "The cells on both sides of ``x`` are weighted by how near they are.",
    "cubic": "The four cells around ``x`` are weighted by the cubic of Keys with a = -0.75; cells outside stand for "
    "the nearest one inside.",
}
_ANTIALIAS = {
    "linear": "The cells within ``max(t, 1)`` of ``x`` are weighted by a triangle of that width, and divided by the "
    "sum of the weights: where the tensor becomes smaller, no cell is skipped.",
    "cubic": "The cells within ``2 * max(t, 1)`` of ``x`` are weighted by the cubic of Keys with a = -0.5, as wide, "
    "and divided by the sum of the weights: where the tensor becomes smaller, no cell is skipped.",
}
_WEIGHTED_EXAMPLE = """image = np.array([1, 3], np.float32).reshape({ones}, 2)
>>> {name}(image, {three}, align_corners=True).ravel().round(3).tolist()
[1.0, 2.0, 3.0]"""
_ANTIALIASED_EXAMPLE = """image = np.array([2, 2], np.float32).reshape({ones}, 2)
>>> {name}(image, {three}).ravel().round(3).tolist()
[2.0, 2.0, 2.0]"""


@dataclass(frozen=True)
class Upsampling(Resampling):
    """An operator of some axes."""

    formats: tuple[str, ...] = ()  # none: the two orders of the axes
    unscaled_dtypes: tuple[str, ...] = ()
    batch_needed: bool = False  # N = 0 is rejected as well
    empty_succeeds_first: bool = False
    empty_succeeds: bool = False  # once all rules have passed
    other_formats_refused: bool = False
    negative_scales: tuple[Judge, ...] = ARRAY  # who refuses them

    @property
    def traits(self) -> dict[str, Any]:
        first = self.empty_succeeds_first
        return {**super().traits, "unscaled_dtypes": self.unscaled_dtypes, "empty_succeeds_first": first}

    @property
    def arguments(self) -> tuple[Argument, ...]:
        beyond = ("float64",) if self.weighted else ("float64", *INTEGERS)
        verb = "resize" if self.weighted else "enlarge"
        source = self.values("self", f"The tensor to {verb}.", self.tensor(2, 2, 2), beyond)
        source = replace(source, formats=self.formats or self.orders)
        result = f"The {verb}d tensor: the result."
        return (
            source,
            Argument("outputSize", "int_array", f"{self.names} of out.", self.sizes(4)),
            *self.scale_arguments("Factor along {}, out size / self size"),
            replace(source, name="out", doc=result, role="output", example=self.tensor(4, 4, 4)),
        )

    def forward(self, c_name: str, *samples: Sample, extra: tuple[Rule, ...] = ()) -> OpSpec:
        """``extra`` stands between the rules about shapes and those about formats and scales."""
        arguments = self.arguments
        source, out = arguments[0], arguments[-1]
        copied = "under its centre" if self.filter == "nearest-exact" else "at or before its own place"
        where = "(o + 0.5)*t" if self.filter == "nearest-exact" else "o*t"
        summary = f"each output cell copies the input cell {copied}"
        formula = f"out[n,c,o] = self[n,c,min(floor({where}), inSize - 1)], t = 1/scale or inSize/outSize"
        if self.weighted:
            summary = "each output cell is a weighted sum"
            formula = "out[n,c,o] = sum of weight(o, i) * self[n,c,i] over the cells i around x(o), axis by axis"
        return self.declare(
            c_name,
            arguments,
            (
                *self._type_rules(source, out),
                *self._size_rules(source, out),
                *extra,
                *([SHRINK_LIMIT] if self.antialias else []),
                *self._order_rules(source, out),
                *self.scale_rules(self.negative_scales),
            ),
            samples or [self.blocks],
            summary=f"{self.count}-D {self.kind}: {summary}.",
            formula=formula,
            native="resized",
            planned_in=self.planned_in or "{name}",
            doc=self._doc(arguments),
            aten=self.aten,
        )

    # ---- rules ----

    def _type_rules(self, source: Argument, out: Argument) -> tuple[Rule, ...]:
        return (
            rules.dtype(source, "uint32"),
            *rules.soc_dtype(source, out),
            rules.same_dtype(out, source),
            rules.rank(source),
            *([rules.known_format(source, "HWCN")] if self.other_formats_refused else []),
        )

    def _size_rules(self, source: Argument, out: Argument) -> tuple[Rule, ...]:
        last = f", or [N, *outputSize, C] in {self.orders[1]}" if self.count > 1 else ""
        shape = f"out must be [N, C, *outputSize]{last}, with N and C of self."
        succeeds = self.empty_succeeds_first or self.empty_succeeds
        empty = rules.reshaped(lambda shape: (*shape[:2], *self.with_zero(2)), source)
        sentence = f"{self.names} of self must be above 0; N and C may be 0."
        check = Check("plane_filled", ("self",), meaning="there is nothing to copy from")
        filled = Rule("self_size", sentence, empty, check=check)
        return (
            rules.length("outputSize", (self.count,), f"({self.names} of the result)", self.wrong_length(4)),
            *([replace(filled, judges=ARRAY)] if succeeds else [filled, *self._batch_rules(source, out)]),
            rules.positive("outputSize", self.with_zero(4)),
            self.output_size_bytes,
            Rule("out_shape", shape, rules.reshaped(rules.wider, out), check=Check("resized")),
        )

    def _batch_rules(self, *tensors: Argument) -> tuple[Rule, ...]:
        """Where an empty tensor does not succeed, the device refuses one without channels."""
        without_channels = rules.reshaped(rules.without_channels, *tensors)
        sentence = "C of self must be above 0" + ("." if self.batch_needed else "; N may be 0.")
        channels = Rule("self_channels", sentence, without_channels, ACLNN, check=Check("channels_filled", ("self",)))
        empty = rules.reshaped(lambda shape: (0, *shape[1:]), *tensors)
        batch = Rule("self_batch", "N of self must be above 0.", empty, ACLNN, check=Check("batch_filled", ("self",)))
        return (channels, batch) if self.batch_needed else (channels,)

    def _order_rules(self, source: Argument, out: Argument) -> tuple[Rule, ...]:
        last, equal = self.orders[1], self.empty_succeeds_first or self.other_formats_refused
        if self.count == 1:  # every format is read alike
            other = rules.changed(out, format="ND")
            return (rules.same_format((out,), source, other),) if self.other_formats_refused else ()
        if equal:
            return (rules.same_format((out,), source, rules.channels_last(last, out)),)
        return (rules.same_axis_order((out, source), out, last),)

    # ---- samples and docstring ----

    @property
    def blocks(self) -> Sample:
        values, copies = range(1, 5), 2**self.count
        title = f"every cell fills a block of {'x'.join('2' * self.count)}"
        copied = tuple(value for value in values for _ in range(copies))
        return self.sampled(title, (2, 2, *self.sizes(1)), values, self.sizes(2), copied)

    def _doc(self, arguments: tuple[Argument, ...]) -> str:
        several, own = self.count > 1, not self.weighted and not self.scales_together
        words = self.words(arguments)
        if self.weighted:
            aligned, weights = (_ALIGNED_ANTIALIAS, _ANTIALIAS) if self.antialias else (_ALIGNED, _WEIGHTS)
            words |= {"cells": f"{_PLACE} {aligned}\n{weights[self.filter]}", "values": "{floats}."}
            words["example"] = _ANTIALIASED_EXAMPLE if self.antialias else _WEIGHTED_EXAMPLE
        else:
            words |= {"cells": _COPIES[self.filter], "values": _COPIED, "example": _EXAMPLES[self.filter]}
        return document(
            self,
            _DOC,
            **words,
            enlarge="resize" if self.weighted else "enlarge",
            own=", each on its own" * (several and own),
            one_size=", or one size for all axes" * several,
            per_axis=" or one per axis" * several,
        )


OUTPUT_SIZE_SCALE = Rule(
    "output_size_scale",
    "If all scales are above 0, each outputSize must be self's size times its scale, rounded down.",
    {"scalesD": 3.0, "scalesH": 3.0, "scalesW": 3.0},
    DOCUMENTED,
    shared="upsample",
)
SHRINK_LIMIT = device_rule(
    "shrink_limit",
    "No axis may shrink more than 50 times on Ascend910B and Ascend910_93: 1 / scale, or self's size / outputSize.",
    scalesH=0.01,
)
