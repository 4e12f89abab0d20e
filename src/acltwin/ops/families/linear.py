"""Linear and cubic resampling, also anti-aliased, and the gradients: each result cell is a weighted sum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from acltwin.ops.families.axes import Axes, wrapped
from acltwin.ops.families.nearest import Upsampling
from acltwin.ops.families.nearest_gradient import UpsamplingGradient
from acltwin.ops.spec import SOCS, Argument, CallCase, Mode, OpSpec, Rule, Sample, TensorCase, Value

Filter = Literal["linear", "cubic"]

_MODES: dict[tuple[str, int], Mode] = {
    ("linear", 1): "linear",
    ("linear", 2): "bilinear",
    ("linear", 3): "trilinear",
    ("cubic", 2): "bicubic",
}
_PLACE = """Along one axis, output cell ``o`` lies at ``x = (o + 0.5) * t - 0.5`` of the input, ``t = 1 / scale``, or
``input size / output size`` where no scale is given. {aligned}"""
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
_DOC = """{count}-D {mode} upsampling{antialias}.

{place}
{weights}

Args:
    input: the tensor to resize, {rank}-D; float32, float16, bfloat16 (summed in float32) or float64.
    output_size: {names} of the result{one_size}. It may also be smaller than the input.
    align_corners: {aligned}.
    {scales}: the {factors}, result size / input size; 0 or None: not given. {note}
    scale_factor: result size / input size, one number{per_axis}, instead of ``output_size``: sizes are rounded down, \
and the factors are used as scales.
    data_format: order of the axes of ``input`` and the result.
    rule: whose arithmetic finds the weights: ``"device"`` the NPU's, ``"torch"`` PyTorch's.
    out: where to write the result, instead of a new array.

Returns:
    The resized tensor, an array of the same kind and dtype as ``input``.

>>> import numpy as np
>>> image = np.array({cells}, np.float32).reshape({ones}, 2)
>>> {name}(image, {size}{align}).ravel().round(3).tolist()
{example}
"""
_GRADIENT_DOC = """Gradient of {count}-D {mode} upsampling{antialias}.

Each output cell is a weighted sum of input cells. The gradient of an input cell is the sum of the gradients of all
output cells that it is part of, with the same weights.

Args:
    {grad}: gradient of the resized tensor, {rank}-D; float32, float16, bfloat16 (summed in float32) or float64.
    output_size: {names} of ``{grad}``.
    input_size: N, C, {names} of the result{or_last}.
    align_corners: {aligned}.
    {scales}: the {factors} of the forward pass; 0 or None: not given. {note}
    data_format: order of the axes of ``{grad}`` and the result.
    rule: whose arithmetic finds the weights: ``"device"`` the NPU's, ``"torch"`` PyTorch's.
    out: where to write the result, instead of a new array.

Returns:
    The gradient of the input, an array of the same kind and dtype as ``{grad}``.

>>> import numpy as np
>>> {grad} = np.array({cells}, np.float32).reshape({ones}, 3)
>>> result = {name}({grad}, {outer}, ({ones}, 2){align})
>>> result.ravel().round(3).tolist()
{example}
"""
_ALIGN_WORDS = {
    False: "whether the corners of both tensors lie on each other",
    True: "whether ``t`` is ``(input size - 1) / (output size - 1)``; places are the same function of it",
}


def _words(axes: Axes, filter: Filter, antialias: bool, arguments: tuple[Argument, ...]) -> dict[str, Any]:
    several = axes.count > 1
    return {
        "count": axes.count,
        "mode": _MODES[filter, axes.count],
        "antialias": ", anti-aliased" if antialias else "",
        "rank": 2 + axes.count,
        "names": axes.names,
        "one_size": ", or one size for all axes" if several else "",
        "per_axis": " or one per axis" if several else "",
        "scales": ", ".join(argument.python_name for argument in arguments if argument.is_scale),
        "factors": "factors" if several else "factor",
        "aligned": _ALIGN_WORDS[antialias],
        "ones": ", ".join(["1"] * (1 + axes.count)),
    }


def _rounded(samples: tuple[Sample, ...]) -> tuple[Sample, ...]:
    return tuple(replace(sample, tolerance=4e-6) for sample in samples)


def _with_align(arguments: tuple[Argument, ...], antialias: bool) -> tuple[Argument, ...]:
    """alignCorners stands before the scales."""
    first = next(place for place, argument in enumerate(arguments) if argument.is_scale)
    words = _ALIGN_WORDS[antialias].replace("``", "")
    align = Argument("alignCorners", "bool", f"{words[0].upper()}{words[1:]}.", default="False")
    return (*arguments[:first], align, *arguments[first:])


def _aligned(call: CallCase, scale: str, align: bool = False) -> CallCase:
    values: dict[str, Value] = {}
    for name, value in call.arguments.items():
        if name == scale:
            values["alignCorners"] = align
        values[name] = value
    return CallCase(values, call.soc)


@dataclass(frozen=True)
class Resampling(Upsampling):
    """A forward operator of some axes."""

    exact: bool = False
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    socs: tuple[str, ...] = SOCS
    filter: Filter = "linear"
    antialias: bool = False

    @property
    def arguments(self) -> tuple[Argument, ...]:
        source, *others, out = super().arguments
        dtypes = {"array_dtypes": tuple(name for name in ("float64",) if name not in self.dtypes)}
        source = replace(source, doc="The tensor to resize.", **dtypes)  # type: ignore[arg-type]
        out = replace(out, doc="The resized tensor: the result.", **dtypes)  # type: ignore[arg-type]
        return _with_align((source, *others, out), self.antialias)

    def _call(self, source: TensorCase, size: tuple[int, ...], result: TensorCase) -> CallCase:
        return _aligned(super()._call(source, size, result), self.scales[0])

    def resampling(
        self, name: str, c_name: str, header: str, samples: tuple[Sample, ...], extra: tuple[Rule, ...] = ()
    ) -> OpSpec:
        mode = _MODES[self.filter, self.count]
        words = _words(self, self.filter, self.antialias, self.arguments)
        doc = _DOC.format(
            **words,
            name=name,
            place=_PLACE.format(aligned=_ALIGNED_ANTIALIAS if self.antialias else _ALIGNED),
            weights=(_ANTIALIAS if self.antialias else _WEIGHTS)[self.filter],
            note=self.scale_note,
            size=self.cut(1, 1, 3) if self.count > 1 else "(3,)",
            align=", align_corners=True" if not self.antialias else "",
            cells="[1, 3]" if not self.antialias else "[2, 2]",
            example="[1.0, 2.0, 3.0]" if not self.antialias else "[2.0, 2.0, 2.0]",
        )
        formula = "out[n,c,o] = sum of weight(o, i) * self[n,c,i] over the cells i around x(o), axis by axis"
        return replace(
            self.operator(name, c_name, header, extra, _rounded(samples)),
            summary=f"{self.count}-D {mode} upsampling{words['antialias']}: each output cell is a weighted sum.",
            formula=formula,
            family="linear",
            mode=mode,
            antialias=self.antialias,
            doc=wrapped(doc),
            aten=f"_{name}" if self.antialias else name,
        )


@dataclass(frozen=True)
class ResamplingGradient(UpsamplingGradient):
    """A gradient of some axes."""

    exact: bool = False
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    socs: tuple[str, ...] = SOCS
    filter: Filter = "linear"
    antialias: bool = False

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return _with_align(super().arguments, self.antialias)

    def _call(self, grad_out: TensorCase, grad_input: TensorCase) -> CallCase:
        return _aligned(super()._call(grad_out, grad_input), self.scales[0])

    def resampling(
        self, partner: str, c_name: str, header: str, samples: tuple[Sample, ...], extra: tuple[Rule, ...] = ()
    ) -> OpSpec:
        name, mode = f"{partner}_backward", _MODES[self.filter, self.count]
        words = _words(self, self.filter, self.antialias, self.arguments)
        doc = _GRADIENT_DOC.format(
            **words,
            name=name,
            grad=self.arguments[0].python_name,
            or_last=f'; for ``data_format="{self.orders[1]}"`` also N, {self.names}, C',
            note=self.scale_note,
            outer=self.cut(1, 1, 3) if self.count > 1 else "(3,)",
            align=", align_corners=True" if not self.antialias else "",
            cells="[1, 2, 3]" if not self.antialias else "[2, 2, 2]",
            example="[2.0, 4.0]" if not self.antialias else "[3.0, 3.0]",
        )
        return replace(
            self.operator(partner, c_name, header, extra, _rounded(samples)),
            summary=f"Gradient of {self.count}-D {mode} upsampling{words['antialias']}: the transposed weighted sums.",
            formula=f"{self.result}[n,c,i] = sum of weight(o, i) * gradOut[n,c,o] over the cells o that take cell i",
            family="linear",
            mode=mode,
            antialias=self.antialias,
            doc=wrapped(doc),
            aten=f"_{name}" if self.antialias else name,
        )
