"""The gradients of nearest-exact upsampling along one and two axes, which look at gradOutput and not at outputSize."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from acltwin.ops.families import rules
from acltwin.ops.families.family import name_of
from acltwin.ops.families.resampling import Filter, Resampling
from acltwin.ops.families.rules import Violation
from acltwin.ops.families.upsampling_gradient import gradient_doc
from acltwin.ops.spec import ACLNN, ARRAY, EVERYWHERE, Argument, Check, OpSpec, Rule, Sample


@dataclass(frozen=True)
class ExactGradient(Resampling):
    """An operator of some axes."""

    filter: Filter = "nearest-exact"
    empty_succeeds_first: bool = False  # otherwise the device rejects an empty gradOutput

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

    def gradient(self, c_name: str, *samples: Sample) -> OpSpec:
        name, arguments = name_of(c_name), self.arguments
        note = " As on the device, the size of ``grad_output`` itself counts."
        return self.declare(
            c_name,
            arguments,
            (
                *self._tensor_rules(arguments[0], arguments[-1]),
                *self._size_rules(arguments[0], arguments[-1]),
            ),
            samples,
            summary=f"Gradient of {self.count}-D {self.kind}: each input cell sums the gradients of its copies.",
            formula="out[n,c,i] = sum of gradOutput[n,c,o] for o in [b(i), b(i+1)), "
            "b(i) = min(ceil(i*s - 0.5), outSize)",
            native="exact_backward",
            aten=self.aten(name),
            doc=gradient_doc(self, name, arguments, order="", size_note=note),
        )

    def _tensor_rules(self, grad: Argument, out: Argument) -> tuple[Rule, ...]:
        empty = " (Through aclnn an empty gradOutput or out succeeds before this rule.)" * self.empty_succeeds_first
        return (
            rules.dtype(grad, note=empty),
            rules.same_dtype(out, grad),
            rules.same_format((out,), grad, rules.changed(out, format="ND")),
            rules.rank(grad),
            rules.rank(out),
        )

    def _size_rules(self, grad: Argument, out: Argument) -> tuple[Rule, ...]:
        each, scale = " and ".join(self.axes), self.scales[0]
        shape = f"out must have the {each} of inputSize."
        small = out.case.shape
        turned = Rule(
            "grad_output_format", "The format must not be NHWC.", rules.changed(grad, out, format="NHWC"), ACLNN
        )
        empty = rules.reshaped(lambda shape: (0, *shape[1:]), grad, out)
        check = Check("filled", ("gradOutput",))
        filled = Rule("grad_output_size", "No dimension of gradOutput may be 0.", empty, ACLNN, check=check)
        limit = "No axis may be enlarged more than 50 times: each scale, or gradOutput / inputSize where it is not"
        begin = "inputSize must begin with gradOutput's N and C."
        zero: Violation = {"inputSize": (1, 2, *self.with_zero(2)), **dict.fromkeys(self.scales, 1.0)}
        return (
            rules.length("inputSize", (2 + self.count,), f"(N, C, {self.names} of the result)", small[:-1]),
            rules.length("outputSize", (self.count,), f"({self.names} of {{gradOutput}})", self.wrong_length(4)),
            *([turned] if self.count > 1 else []),  # along one axis every format is read alike
            rules.same_batch(out, grad),
            Rule("input_size_batch", begin, {"inputSize": (1, 3, *small[2:])}, ARRAY),
            *self.scale_rules(EVERYWHERE),
            Rule("scale_factor", f"{limit} given.", {scale: 51.0}, ACLNN),
            Rule("input_size_positive", f"{each} of inputSize must be above 0.", zero),
            *([] if self.empty_succeeds_first else [filled]),
            self.input_size_bytes(ARRAY),
            Rule("out_shape", shape, rules.reshaped(rules.wider, out), check=Check("resized")),
            rules.positive("outputSize", self.with_zero(4), ("array", "documented")),
        )
