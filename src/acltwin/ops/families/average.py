"""Average pooling, over windows of one size or over windows that follow from the sizes, and the gradients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from acltwin.ops.families import rules
from acltwin.ops.families.docs import FORMAT, document
from acltwin.ops.families.family import ints
from acltwin.ops.families.pooling import CEIL_MODE, PASSED, Pooling, window_doc
from acltwin.ops.spec import ACLNN, ARRAY, EVERYWHERE, FROM_910B, Argument, Check, OpSpec, Rule, Sample

_FORWARD_DOC = """{count}-D average pooling{to_size}.

{cells}

    input: the tensor to pool, {shapes}; {floats}.
    {window}

    The averages, an array of the same kind and dtype as ``input``.

>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> {name}(image, {two}).ravel().tolist()
[3.0, 5.0]
"""
_CELLS = """Each window gives the sum of its cells, divided by their number. A window reaches into the padding, whose \
cells are 0, and in ``ceil_mode`` beyond it, where nothing is. A window without cells gives 0."""
_ADAPTIVE_CELLS = """Along one axis, result cell ``o`` is the average of the input cells from ``floor(o * in / out)`` \
up to, not including, ``ceil((o + 1) * in / out)``."""
_ADAPTIVE_SIZE = "output_size: {names} of the result, or one size for all axes. It may also be larger than the input."
_WINDOW = """kernel_size, stride, padding: {window}
    count_include_pad: whether cells of the padding count.
    divisor_override: what sums are divided by instead of the number of cells; None or 0: not given."""

_GRADIENT_DOC = """Gradient of {count}-D average pooling{to_size}.

{cells}

    grad_output: gradient of the averages, {shapes}; {floats}.
    input: input of the forward pass, for its shape; its values are not read.
    {window}

    The gradient of ``input``, an array of the same shape, of the kind and dtype of ``grad_output``.

>>> averages_grad = np.array([3.0, 5.0], np.float32).reshape({ones}, 2)
>>> {call}.ravel().tolist()
[1.5, 1.5, 2.5, 2.5]
"""
_GRADIENT_CELLS = """Each average is a sum of cells, divided by a number. The gradient of a cell is the sum of the \
gradients of the averages that it is part of, each divided by the same number."""
_ADAPTIVE_GRADIENT_CELLS = """The gradient of a cell is the sum of the gradients of the averages that it is part of, \
each divided by the number of cells in that average."""
_CALL = "image = np.zeros(({ones}, 4), np.float32)\n>>> {name}(averages_grad, image, {two})"
_ADAPTIVE_CALL = "{name}(averages_grad, np.zeros(({ones}, 4), np.float32))"


@dataclass(frozen=True)
class Average(Pooling):
    """The operators of some axes."""

    lacking: tuple[tuple[str, str], ...] = (("Ascend910", "bfloat16"),)
    cube: bool = False  # whether there is a cubeMathType
    kernel_within_input: bool = False

    @property
    def traits(self) -> dict[str, Any]:
        return {"family": "average", "channels_last_arrays": True}

    # ---- windows of one size ----

    def forward(self, c_name: str) -> OpSpec:
        source, out = self._source_and("The average of each window: the result.")
        image, pooled = self.plane_of(2, 8, 8), self.plane_of(1, 4, 4)
        equal = {"self": image.but(values=(2.0,) * prod(image.shape)), "out": pooled}
        return self.declare(
            c_name,
            (source, *self._window, out),
            (
                *self._tensor_rules(source, out),
                *self._window_rules(source, out),
                self.out_bytes("out", 2 ** (60 - self.count), self.sizes(2), self.window_of(self.sizes(2), 1, 1)),
                self.out_shape(out),
                *self._cube_rules(4),
            ),
            [self.sample("the average of equal cells is what they are", equal, (2.0,) * 16)],
            summary=f"{self.count}-D average pooling: the average of each window.",
            formula="out[n,c,j] = (sum of self[n,c,i] over the cells i of window j) / divisor",
            native="pool",
            planned_in="avg_pool",
            aten="{name}",
            doc=self._doc(_FORWARD_DOC, cells=_CELLS, window=_WINDOW.format(window=window_doc())),
        )

    def gradient(self, c_name: str, result: str = "gradInput") -> OpSpec:
        grad, source, out = self._gradients(result)
        image, pooled = self.plane_of(2, 8, 8), self.plane_of(1, 4, 4)
        ones = {"gradOutput": pooled.but(values=(1.0,) * 16), "self": image, result: image}
        shares = (0.5**self.count,) * prod(image.shape)
        window = _WINDOW.format(window=window_doc(PASSED, "was"))
        return self.declare(
            c_name,
            (grad, source, *self._window, out),
            (
                *self._tensor_rules(grad, source, out),
                *self._window_rules(grad, source, out),
                rules.same_shape(out, source),
                replace(self.out_shape(grad), id="grad_output_shape"),
                *self._cube_rules(3),
            ),
            [self.sample("each gradient is spread evenly over its window", ones, shares)],
            summary=f"Gradient of {self.count}-D average pooling: each gradient is spread evenly over its window.",
            formula=f"{result}[n,c,i] = sum of gradOutput[n,c,j] / divisor over the windows j that cover cell i",
            native="pool_backward",
            planned_in="avg_pool",
            aten="{name}",
            doc=self._doc(_GRADIENT_DOC, cells=_GRADIENT_CELLS, window=window, call=_CALL),
        )

    @property
    def _window(self) -> tuple[Argument, ...]:
        size, stride, padding = self.window_arguments
        cube = Argument("cubeMathType", "int8", "In which precision the device's matrix unit computes.", 2, c_only=True)
        return (
            size,
            replace(stride, known_as="stride", takes_known_name=True),
            replace(padding, known_as="padding", takes_known_name=True),
            CEIL_MODE,
            Argument("countIncludePad", "bool", "Whether cells of the padding count.", True, default="True"),
            Argument("divisorOverride", "int64", "What sums are divided by; 0: not given.", 0, default="None"),
            *([cube] if self.cube else []),
        )

    def _window_rules(self, *tensors: Argument) -> tuple[Rule, ...]:
        within: tuple[Rule, ...] = ()
        if self.kernel_within_input:
            violation = {**self.window_of(self.deep_kernel, 2, 0), self.padding: (1, *self.sizes(0)[1:])}
            sentence = "kernelSize must be at most self's size on each axis."
            within = (Rule("kernel_input", sentence, violation, ACLNN, shared="avg_pool"),)
        return (
            *self.window_rules,
            self.self_size(*tensors),
            *within,
            self.window_fits(ARRAY if self.kernel_within_input else EVERYWHERE),
            *([self.self_channels(*tensors)] if self.cube else []),
        )

    def _cube_rules(self, most: int) -> tuple[Rule, ...]:
        if not self.cube:
            return ()
        needed = (
            "float32 needs cubeMathType 0 or 2 on Ascend910B and Ascend910_93 where the matrix unit computes, and 1 or "
            "2 on Ascend910."
        )
        known = Rule("cube_math_type_range", f"cubeMathType must be 0 to {most}.", {"cubeMathType": 5}, ACLNN)
        fit = Rule("cube_math_type_soc", needed, {"cubeMathType": 1}, ("device",))
        return tuple(replace(rule, shared="avg_pool") for rule in (known, fit))

    # ---- windows that follow from the sizes ----

    def adaptive(self, c_name: str, *samples: Sample) -> OpSpec:
        source, out = self._source_and("The averages: the result.")
        size, shape = self.cut(1, 2, 2), "out must be self's N and C, and outputSize."
        return self.declare(
            c_name,
            (source, ints("outputSize", f"{self.names} of out.", size), out),
            (
                *self._tensor_rules(source, out),
                self.self_size(source),
                rules.length("outputSize", (self.count,), f"({self.names} of the result)", (*self.sizes(2), 2), (1,)),
                rules.positive("outputSize", (*size[:-1], 0)),
                self.output_size_bytes,
                Rule("out_shape", shape, rules.reshaped(rules.wider, out), check=Check("resized")),
            ),
            samples,
            summary=f"{self.count}-D average pooling to a given size.",
            formula="out[n,c,o] = average of self[n,c,i] for i in [floor(o*in/out), ceil((o+1)*in/out))",
            native="resized",
            planned_in="adaptive_avg_pool",
            aten="_{name}",
            doc=self._doc(_FORWARD_DOC, " to a given size", cells=_ADAPTIVE_CELLS, window=_ADAPTIVE_SIZE),
        )

    def adaptive_gradient(self, c_name: str, *samples: Sample) -> OpSpec:
        cells = _ADAPTIVE_GRADIENT_CELLS
        grad, source, out = self._gradients("out")
        empty = rules.reshaped(lambda shape: (*shape[:-1], 0), grad)
        positive = f"{self.names} of gradOutput must be above 0."
        return self.declare(
            c_name,
            (grad, source, out),
            (
                *self._tensor_rules(grad, source, out),
                self.self_size(source, out),
                rules.same_batch(grad, source, batch="rank, N and C"),
                Rule("grad_output_positive", positive, empty, check=Check("plane_filled", ("gradOutput",))),
                rules.same_shape(out, source),
            ),
            samples,
            summary=f"Gradient of {self.count}-D average pooling to a given size.",
            formula="out[n,c,i] = sum of gradOutput[n,c,o] / size of window o over the windows o that cover cell i",
            native="pool_backward",
            planned_in="adaptive_avg_pool",
            aten="_{name}",
            doc=self._doc(_GRADIENT_DOC, " to a given size", cells=cells, window="", call=_ADAPTIVE_CALL),
        )

    # ---- what all share ----

    def _source_and(self, result: str) -> tuple[Argument, Argument]:
        source = self.values("self", "The tensor to pool", self.source)
        return source, replace(source, name="out", doc=result, role="output", example=self.pooled)

    def _gradients(self, result: str) -> tuple[Argument, Argument, Argument]:
        grad = self.values("gradOutput", "Gradient of the averages", self.pooled)
        source = self.values("self", "Input of the forward pass, for its shape", self.source, holds="shape")
        out = replace(grad, name=result, doc="The gradient of self: the result.", role="output", example=self.source)
        return grad, source, out

    def _tensor_rules(self, first: Argument, *others: Argument) -> tuple[Rule, ...]:
        """Types, formats and ranks; all tensors have those of the first one."""
        any_format = "ND" in self.formats
        other_format = rules.changed(others[-1], format=self.orders[0] if any_format else "ND")
        lines = rules.changed(first, *others, format="NCL")
        format_rank = Rule("format_rank", "Tensors of 4 dimensions must be NCHW, those of 3 NCL.", lines, ACLNN)
        return (
            *map(rules.dtype, (first, *others[:-1])),
            *rules.soc_dtype(first, *others),
            rules.same_dtype(others[-1], first),
            rules.public_format(first) if any_format else rules.known_format(first, "ND"),
            rules.same_format(others, first, other_format),
            *rules.ranks(first, *others),
            *([replace(format_rank, shared="avg_pool")] if self.cube else []),
        )

    def _doc(self, template: str, to_size: str = "", **words: str) -> str:
        return document(self, template, to_size=to_size, format=FORMAT, **words)


IMAGES = Average("HW", formats=("NCHW", "NCL"), cube=True)
VOLUMES = Average("DHW", socs=FROM_910B, lacking=(), kernel_within_input=True)
