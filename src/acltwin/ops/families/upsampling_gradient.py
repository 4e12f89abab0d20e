"""The gradients of nearest, nearest-exact, linear and cubic upsampling, also anti-aliased."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from acltwin.ops.families import rules
from acltwin.ops.families.docs import document
from acltwin.ops.families.resampling import Resampling, device_rule
from acltwin.ops.spec import ARRAY, DOCUMENTED, Argument, Check, OpSpec, Rule, Sample, Value

_DOC = """Gradient of {count}-D {kind}.

{cells}

    {grad}: gradient of the {resized} tensor, {rank}-D; {floats}.
    output_size: {names} of ``{grad}``.{size_note}
    input_size: N, C, {names} of the result{or_last}.
    {align}{scales}: the {factors} of the forward pass{own}; 0 or None: not given. {note}{order}
    rule: {rule}

    The gradient of the input, an array of the same kind and dtype as ``{grad}``.

>>> {grad} = {example}
"""
_COPIES = """Upsampling copies each input cell to several output cells. Its gradient goes the other way: each input \
cell gets the sum of the gradients of its copies. Along one axis, input cell ``i`` owns the output cells from ``b(i)`` \
up to, not including, ``b(i + 1)`` with ``b(i) = min(ceil({begin}), output size)`` and \
``s = output size / input size``."""
_WEIGHTED = """Each output cell is a weighted sum of input cells. The gradient of an input cell is the sum of the \
gradients of all output cells that it is part of, with the same weights."""
_ORDER = "\n    data_format: order of the axes of ``{grad}`` and the result."
_EXAMPLE = """np.arange(1, 4, dtype=np.float32).reshape({ones}, 3)
>>> {name}({grad}, {three}, ({ones}, 2)).ravel().tolist()
[3.0, 3.0]"""
_WEIGHTED_EXAMPLE = """np.array([1, 2, 3], np.float32).reshape({ones}, 3)
>>> result = {name}({grad}, {three}, ({ones}, 2), align_corners=True)
>>> result.ravel().round(3).tolist()
[2.0, 4.0]"""
_ANTIALIASED_EXAMPLE = """np.array([2, 2, 2], np.float32).reshape({ones}, 3)
>>> result = {name}({grad}, {three}, ({ones}, 2))
>>> result.ravel().round(3).tolist()
[3.0, 3.0]"""
_WORDS = {
    "nearest": {"cells": _COPIES, "begin": "i * s", "example": _EXAMPLE},
    "nearest-exact": {"cells": _COPIES, "begin": "i * s - 0.5", "example": _EXAMPLE.replace("3.0, 3.0", "1.0, 5.0")},
    "weighted": {"cells": _WEIGHTED, "example": _WEIGHTED_EXAMPLE},
    "antialiased": {"cells": _WEIGHTED, "example": _ANTIALIASED_EXAMPLE},
}


@dataclass(frozen=True)
class UpsamplingGradient(Resampling):
    """An operator of some axes."""

    result: str = "gradInput"
    scales_fit: bool = False  # a scale matters only if it fits the sizes
    input_size_note: str = ""
    input_size_follows_format: bool = False
    format_note: str = ""
    negative_means_none: bool = False  # for arrays, a negative scale is none

    native: ClassVar[str] = "upsample_backward"

    @property
    def traits(self) -> dict[str, Any]:
        follows = self.input_size_follows_format
        return {**super().traits, "scales_fit": self.scales_fit, "input_size_follows_format": follows}

    @property
    def arguments(self) -> tuple[Argument, ...]:
        grad = self.values("gradOut", "Gradient of the forward pass's output.", self.tensor(4, 4, 4))
        grad = replace(grad, formats=self.orders if self.count > 1 else ("NCL", "ND"))
        small, doc = self.tensor(2, 2, 2), "Gradient of the forward pass's input: the result."
        sizes = f"N, C, {self.names} of {self.result}. {self.input_size_note}".rstrip()
        return (
            grad,
            Argument("outputSize", "int_array", f"{self.names} of gradOut.", self.sizes(4)),
            Argument("inputSize", "int_array", sizes, small.shape, begins_with_batch=True),
            *self.scale_arguments(f"Factor of the forward pass along {{}}, gradOut size / {self.result} size"),
            replace(grad, name=self.result, doc=doc, role="output", example=small),
        )

    def gradient(self, c_name: str, *samples: Sample, extra: tuple[Rule, ...] = ()) -> OpSpec:
        """``extra`` stands between the rules about shapes and those about formats and scales."""
        arguments = self.arguments
        grad, result = arguments[0], arguments[-1]
        begin = "i*s - 0.5" if self.filter == "nearest-exact" else "i*s"
        summary = "each input cell sums the gradients of its copies"
        cells = f"{grad.name}[n,c,o] for o in [b(i), b(i+1)), b(i) = min(ceil({begin}), outSize)"
        if self.weighted:
            summary = "the transposed weighted sums"
            cells = "weight(o, i) * gradOut[n,c,o] over the cells o that take cell i"
        return self.declare(
            c_name,
            arguments,
            (*self.type_rules(grad, result), *self.size_rules(grad, result), *extra, *self.other_rules(grad, result)),
            samples or [self.blocks],
            summary=f"Gradient of {self.count}-D {self.kind}: {summary}.",
            formula=f"{self.result}[n,c,i] = sum of {cells}",
            native=self.native,
            planned_in=self.planned_in or "{name}",
            doc=document(self, _DOC, **self.words(arguments), **self.notes(grad.python_name)),
            aten=self.aten,
        )

    def notes(self, grad: str) -> dict[str, str]:
        """What stands in the docstring behind what all upsamplings say of an argument."""
        kind = "antialiased" if self.antialias else "weighted" if self.weighted else self.filter
        together = self.scales_together and not self.weighted
        own = "" if self.weighted or self.count == 1 else ", each on its own"
        return {
            **_WORDS[kind],
            "grad": grad,
            "resized": "resized" if self.weighted else "upsampled",
            "size_note": "",
            "or_last": f'; for ``data_format="{self.orders[1]}"`` also N, {self.names}, C',
            "own": ", if it was called with factors" if together else own,
            "order": _ORDER,
        }

    # ---- rules ----

    def type_rules(self, grad: Argument, result: Argument) -> tuple[Rule, ...]:
        lacking = rules.soc_dtype(grad, result)
        return rules.dtype(grad), *lacking, rules.same_dtype(result, grad), rules.rank(grad)

    def size_rules(self, grad: Argument, result: Argument) -> tuple[Rule, ...]:
        names, last, many = self.names, self.orders[1], self.count > 1
        or_last = f", or [N, *outputSize, C] in {last}" if many else ""
        shape = f"{result.name} must have the shape inputSize{f', [N, {names}, C] in {last}' if many else ''}."
        grad_shape = f"gradOut must be [N, C, *outputSize]{or_last}, with N and C of inputSize."
        positive = f"{names} of inputSize must be above 0; N and C must not be negative."
        batched = f"(N, C, {names} of the result)"
        return (
            rules.length("outputSize", (self.count,), f"({names} of {{gradOut}})", self.wrong_length(4)),
            rules.length("inputSize", (2 + self.count,), batched, (1, 2, *self.wrong_length(2))),
            Rule("input_size_positive", positive, {"inputSize": (1, 2, *self.with_zero(2))}),
            self.input_size_bytes(),
            rules.positive("outputSize", self.with_zero(4)),
            Rule("grad_out_shape", grad_shape, rules.reshaped(rules.wider, grad)),
            Rule(f"{result.snake_name}_shape", shape, rules.reshaped(rules.wider, result), check=Check("resized")),
        )

    def other_rules(self, grad: Argument, result: Argument) -> tuple[Rule, ...]:
        order = rules.same_axis_order((grad, result), result, self.orders[1], self.format_note)
        return (
            *([FACTOR_LIMIT] if self.antialias else []),
            *([order] if self.count > 1 else []),
            *self.scale_rules(() if self.negative_means_none else ARRAY),
        )

    def consistent(
        self, batch: tuple[int, int], output: tuple[int, ...], size: tuple[int, ...]
    ) -> dict[str, Value | str]:
        """Arguments that agree with each other; the tensors are large by their shape alone."""
        sizes: dict[str, Value | str] = {"outputSize": output, "inputSize": (*batch, *size)}
        return {**sizes, "gradOut": self.huge(*output, batch=batch), self.result: self.huge(*size, batch=batch)}

    @property
    def blocks(self) -> Sample:
        """Four planes of 2 cells along each axis, each of which comes from one cell."""
        cells, block = 2**self.count, "x".join("2" * self.count)
        values = range(1, 4 * cells + 1)
        sums = tuple(sum(values[plane * cells : (plane + 1) * cells]) for plane in range(4))
        title = f"every cell of a {block} block returns to the one cell it came from"
        if self.weighted:
            title = f"every gradient of a {'volume' if self.count == 3 else 'plane'} returns to its one cell"
        return self.sampled(title, (2, 2, *self.sizes(2)), values, self.sizes(1), sums)


VOLUMES = UpsamplingGradient(
    "DHW",
    filter="nearest-exact",
    socs=("Ascend910B", "Ascend910_93"),
    device_socs=("Ascend950",),
    scales_together=True,
    planned_in="upsample_volume_backward",
    input_size_note="With NDHWC tensors N, D, H, W, C is taken too, except by the device profile.",
    format_note=" (The device answers 561103.)",
)
"""As the 3-D operator of nearest-exact upsampling has it."""


FACTOR_LIMIT = device_rule(
    "factor_limit", "No axis may be enlarged more than 50 times on Ascend910B and Ascend910_93.", scalesH=51.0
)


def limit_rules(family: UpsamplingGradient) -> tuple[Rule, ...]:
    """What the documents say about the hardware of the 3-D operators."""

    def limit(name: str, sentence: str, batch: tuple[int, int], output: tuple[int, ...], size: tuple[int, ...]) -> Rule:
        return Rule(name, sentence, family.consistent(batch, output, size), DOCUMENTED)

    one, wide = (1, 1, 1), (1, 2**11, 2**20)
    floats = "N*C*(oD*oH*oW + D*H*W + oD*oH*W + oD*H*W) float32 values"
    memory = f"{floats} must take less than 60 GiB (oD, oH, oW of gradOut)."
    scale = "If all scales are above 0, each outputSize must be inputSize times its scale, rounded down."
    return (
        limit("dim_limit", "No dimension of gradOut and gradInput may be above 2^20.", (2**20 + 1, 1), one, one),
        limit("memory_limit", memory, (1, 1), (1, 2**14, 2**20), (1, 2**14, 2**15)),
        limit("rows_limit", "gradOut must have fewer than 2^31 rows: N*C*D*H.", (2**11, 2**20), one, one),
        limit("plane_limit", "gradInput must have fewer than 2^31 cells per plane: H*W.", (1, 1), one, wide),
        Rule("output_size_scale", scale, dict.fromkeys(family.scales, 3.0), DOCUMENTED, shared="upsample"),
    )
