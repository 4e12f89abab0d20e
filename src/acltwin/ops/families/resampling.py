"""What upsampling and its gradients share, by nearest cells or by weights."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from acltwin.ops.families.family import Family
from acltwin.ops.spec import ACLNN, ARRAY, EVERYWHERE, Argument, Check, Judge, Kind, Mode, Rule, Sample, TensorCase

Filter = Literal["nearest", "nearest-exact", "linear", "cubic"]

_MODES: dict[Filter, tuple[Mode, Mode, Mode]] = {  # by the number of axes
    "nearest": ("nearest", "nearest", "nearest"),
    "nearest-exact": ("nearest-exact", "nearest-exact", "nearest-exact"),
    "linear": ("linear", "bilinear", "trilinear"),
    "cubic": ("", "bicubic", ""),
}
_ALIGN = "whether the corners of both tensors lie on each other"
_ALIGN_ANTIALIAS = "whether ``t`` is ``(input size - 1) / (output size - 1)``; places are the same function of it"
_RULE = 'who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.'
_WEIGHTED_RULE = 'whose arithmetic finds the weights: ``"device"`` the NPU\'s, ``"torch"`` PyTorch\'s.'


def device_rule(name: str, sentence: str, **violation: Any) -> Rule:
    """One that arrays do not have."""
    return Rule(name, sentence, violation, ACLNN, shared="resample")


@dataclass(frozen=True)
class Resampling(Family):
    """What upsampling and its gradients share."""

    filter: Filter = "nearest"
    antialias: bool = False  # of linear and cubic
    scaled: bool = True  # whether it takes scales
    scale_names: tuple[str, ...] = ()  # none: scalesD, scalesH, scalesW
    scale_kind: Kind = "double"
    scale_note: str = ""  # what the device makes of scales
    scales_together: bool = False  # the device uses scales only if all are given
    no_scale: float = 0.0  # what the example passes for no scale
    planned_in: str = ""  # the namespace with the arithmetic of the device; none: that of the operator's name

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """A tensor, sizes, scales and the result."""
        raise NotImplementedError

    @property
    def weighted(self) -> bool:
        return self.filter in ("linear", "cubic")

    @property
    def mode(self) -> Mode:
        return _MODES[self.filter][self.count - 1]

    @property
    def kind(self) -> str:
        """What messages and pages call it."""
        return f"{self.mode} upsampling{', anti-aliased' if self.antialias else ''}"

    @property
    def scales(self) -> tuple[str, ...]:
        return (self.scale_names or tuple(f"scales{axis}" for axis in self.axes)) if self.scaled else ()

    @property
    def example_format(self) -> str:
        return self.orders[0]

    @property
    def traits(self) -> dict[str, Any]:
        return {
            "family": "linear" if self.weighted else "upsample",
            "mode": self.mode,
            "antialias": self.antialias,
            "scales_together": self.scales_together,
            "data_formats": self.orders if self.count > 1 else self.orders[:1],
            "channels_last_arrays": self.count == 1,
            "has_map_rule": True,
        }

    @property
    def aten(self) -> str:
        return "_{name}" if self.antialias or self.filter == "nearest-exact" else "{name}"

    def scale_arguments(self, doc: str) -> tuple[Argument, ...]:
        """With alignCorners before them. ``doc`` has a place for the axis."""
        used = "used only if all are above 0" if self.scales_together else "0: not given"
        if self.no_scale < 0:
            used = "-1: not given (0 is rejected before Ascend950)"
        words = (_ALIGN_ANTIALIAS if self.antialias else _ALIGN).replace("``", "")
        align = Argument("alignCorners", "bool", f"{words[0].upper()}{words[1:]}.", False, default="False")
        scales = (
            Argument(
                name,
                self.scale_kind,
                f"{doc.format(axis)}; {used}.",
                self.no_scale,
                known_as=f"scales{axis if self.count > 1 else ''}",
            )
            for name, axis in zip(self.scales, self.axes, strict=False)
        )
        return (align, *scales) if self.weighted else tuple(scales)

    def scale_rules(self, negative: tuple[Judge, ...] = ARRAY) -> tuple[Rule, ...]:
        """``negative`` reject negative scales."""
        if not self.scaled:
            return ()
        first = self.scales[0]
        known = Rule("scales_negative", "No scale may be negative; 0 means not given.", {first: -1.0}, negative)
        finite = Rule("scales_infinite", "Every scale must be finite; 0 means not given.", {first: math.inf}, ARRAY)
        return tuple(replace(rule, shared="scale") for rule in (known, finite) if rule.judges)

    def input_size_bytes(self, judges: tuple[Judge, ...] = EVERYWHERE) -> Rule:
        sentence, size = "A tensor of inputSize must have fewer than 2^63 bytes.", (1, 2, *self.beyond_bytes)
        check = Check("result_bytes", ("inputSize",), meaning="; pass the size of the forward pass's input")
        return Rule("input_size_bytes", sentence, {"inputSize": size}, judges, check=check)

    def sampled(
        self,
        title: str,
        shape: tuple[int, ...],
        values: Iterable[float],
        size: tuple[int, ...],
        expected: tuple[float, ...],
        *,
        align: bool = False,
        scale: float | None = None,
    ) -> Sample:
        """A sample with these values, resized to this size, with the same scale along every axis."""
        first, *others, last = self.arguments
        source = TensorCase("float32", shape, self.orders[0], values=tuple(map(float, values)))
        result = TensorCase("float32", (*shape[:2], *size), self.orders[0])
        changes: dict[str, Any] = {first.name: source, "outputSize": size, last.name: result}
        if any(argument.name == "inputSize" for argument in others):
            changes |= {"outputSize": shape[2:], "inputSize": result.shape}
        if self.weighted:
            changes["alignCorners"] = align
        changes |= dict.fromkeys(self.scales, self.no_scale if scale is None else scale)
        return self.sample(title, changes, expected, tolerance=4e-6 if self.weighted else 0.0)

    def words(self, arguments: tuple[Argument, ...]) -> dict[str, str]:
        """Of docstrings."""
        several, align = self.count > 1, _ALIGN_ANTIALIAS if self.antialias else _ALIGN
        together = f'``rule="device"`` uses them only if {"all three" if self.count == 3 else "both"} are given.'
        return {
            "kind": self.kind,
            "align": f"align_corners: {align}.\n    " if self.weighted else "",
            "scales": ", ".join(argument.python_name for argument in arguments if argument.is_scale),
            "factors": "factors" if several else "factor",
            "note": self.scale_note or together * self.scales_together,
            "rule": _WEIGHTED_RULE if self.weighted else _RULE,
        }
