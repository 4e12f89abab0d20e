"""The gradients of nearest-exact upsampling along one and two axes, which look at gradOutput and not at outputSize."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from acltwin.ops.families import rules
from acltwin.ops.families.resampling import Filter
from acltwin.ops.families.rules import Violation
from acltwin.ops.families.upsampling_gradient import UpsamplingGradient
from acltwin.ops.spec import ACLNN, ARRAY, EVERYWHERE, Argument, Check, Rule


@dataclass(frozen=True)
class ExactGradient(UpsamplingGradient):
    """An operator of some axes."""

    filter: Filter = "nearest-exact"
    result: str = "out"
    planned_in: str = "exact_backward"
    empty_succeeds_first: bool = False  # otherwise the device rejects an empty gradOutput

    native: ClassVar[str] = "exact_backward"

    @property
    def traits(self) -> dict[str, Any]:
        known = {"data_formats": self.orders[:1], "channels_last_arrays": False}
        return {**super().traits, **known, "empty_succeeds_first": self.empty_succeeds_first}

    @property
    def arguments(self) -> tuple[Argument, ...]:
        grad = self.values("gradOutput", "Gradient of the forward pass's output.", self.tensor(4, 4, 4))
        grad = replace(grad, formats=(self.orders[0], "ND"))
        small, doc = self.tensor(2, 2, 2), "Gradient of the forward pass's input: the result."
        compared = "whose own size counts: these values are not compared with it."
        scales = self.scale_arguments("Factor of the forward pass along {}, gradOutput size / out size")
        return (
            grad,
            Argument("outputSize", "int_array", f"{self.names} of gradOutput, {compared}", self.sizes(4)),
            Argument("inputSize", "int_array", f"N, C, {self.names} of out.", small.shape, begins_with_batch=True),
            *(replace(scale, known_as="") for scale in scales),
            replace(grad, name="out", doc=doc, role="output", example=small),
        )

    def notes(self, grad: str) -> dict[str, str]:
        size = f" As on the device, the size of ``{grad}`` itself counts."
        return {**super().notes(grad), "size_note": size, "or_last": "", "order": ""}

    def type_rules(self, grad: Argument, result: Argument) -> tuple[Rule, ...]:
        empty = " (Through aclnn an empty gradOutput or out succeeds before this rule.)" * self.empty_succeeds_first
        return (
            rules.dtype(grad, note=empty),
            rules.same_dtype(result, grad),
            rules.same_format((result,), grad, rules.changed(result, format="ND")),
            rules.rank(grad),
            rules.rank(result),
        )

    def size_rules(self, grad: Argument, result: Argument) -> tuple[Rule, ...]:
        each, scale = " and ".join(self.axes), self.scales[0]
        shape = f"out must have the {each} of inputSize."
        small = result.case.shape
        turned = Rule(
            "grad_output_format", "The format must not be NHWC.", rules.changed(grad, result, format="NHWC"), ACLNN
        )
        empty = rules.reshaped(lambda shape: (0, *shape[1:]), grad, result)
        check = Check("filled", ("gradOutput",))
        filled = Rule("grad_output_size", "No dimension of gradOutput may be 0.", empty, ACLNN, check=check)
        limit = "No axis may be enlarged more than 50 times: each scale, or gradOutput / inputSize where it is not"
        begin = "inputSize must begin with gradOutput's N and C."
        zero: Violation = {"inputSize": (1, 2, *self.with_zero(2)), **dict.fromkeys(self.scales, 1.0)}
        return (
            rules.length("inputSize", (2 + self.count,), f"(N, C, {self.names} of the result)", small[:-1]),
            rules.length("outputSize", (self.count,), f"({self.names} of {{gradOutput}})", self.wrong_length(4)),
            *([turned] if self.count > 1 else []),  # along one axis every format is read alike
            rules.same_batch(result, grad),
            Rule("input_size_batch", begin, {"inputSize": (1, 3, *small[2:])}, ARRAY),
            *self.scale_rules(EVERYWHERE),
            Rule("scale_factor", f"{limit} given.", {scale: 51.0}, ACLNN),
            Rule("input_size_positive", f"{each} of inputSize must be above 0.", zero),
            *([] if self.empty_succeeds_first else [filled]),
            self.input_size_bytes(ARRAY),
            Rule("out_shape", shape, rules.reshaped(rules.wider, result), check=Check("resized")),
            rules.positive("outputSize", self.with_zero(4), ("array", "documented")),
        )

    def other_rules(self, grad: Argument, result: Argument) -> tuple[Rule, ...]:
        return ()
