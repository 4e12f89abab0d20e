"""Max pooling without indices, whose padding may differ from side to side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from acltwin.ops.families import rules
from acltwin.ops.families.docs import FORMAT, document
from acltwin.ops.families.family import ints
from acltwin.ops.families.pooling import LONG, Pooling
from acltwin.ops.spec import ACLNN, INTEGERS, Argument, OpSpec, Rule, Sample

_DOC = """{count}-D max pooling: values only, with padding that may differ from side to side.

Each window keeps its maximum; a NaN is larger than everything. Padding is never the maximum, but a window of padding
only gives -infinity, or the lowest integer.

    input: the tensor to pool, {shapes}; floats, integers of up to 64 bits or bool.
    kernel_shape: one number or ({names}).
    strides: one number or ({names}); ``None`` or ``()`` means 1, not the kernel size.
    pads: one number for all sides, ({names}), or first those before the cells and then those behind them; on each \
axis at most the kernel in total.
    dilations: only 1.
    ceil_mode: whether the number of windows is rounded up.

    The maxima, an array of the same kind and dtype as ``input``.

>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> {name}(image, {two}, {two}).ravel().tolist()
[5.0, 7.0]
"""


@dataclass(frozen=True)
class PlainMaxPool(Pooling):
    """The operator of some axes."""

    kernel: str = "kernelShape"
    stride: str = "strides"
    padding: str = "pads"

    example_dtype: ClassVar[str] = "float16"  # every SoC has it

    @property
    def traits(self) -> dict[str, Any]:
        return {"family": "plain_pool", "channels_last_arrays": True}

    @property
    def _window(self) -> tuple[Argument, ...]:
        each, two, none = self.names, self.sizes(2), self.sizes(0)
        sides = f"none (0), one value, {each}, or {2 * self.count}: first before all axes, then behind."
        kernel, step = f"Size of the window: one value for all axes or {each}.", "Step of the window"
        return (
            ints("kernelShape", kernel, two, known_as="kernelSize"),
            ints("strides", f"{step}: none (1), one value, or {each}.", two, "1", known_as="stride", empty=1),
            Argument("autoPad", "int64", "Only 0: the padding is that of pads.", 0, c_only=True),
            ints("pads", f"Padding: {sides}", none, "0", known_as="padding"),
            ints("dilations", "Step inside the window: only 1.", self.sizes(1), "1", known_as="dilation", empty=1),
            Argument("ceilMode", "int64", "Whether the number of windows is rounded up: 0 or not.", 0, default="False"),
        )

    @property
    def _window_rules(self) -> tuple[Rule, ...]:
        count, cut, wrong = self.count, self.cut, 5 - self.count
        one = f"({self.names}, or 1 for all axes"
        sides, counts = f"{one}, none, or {2 * count}: first before, then behind)", (0, 1, count, 2 * count)
        total, deep = "The pads of each axis must be at most kernelShape in total.", (5, *self.sizes(0)[1:])
        return (
            rules.length("kernelShape", (1, count), f"{one})", (2,) * wrong),
            rules.length("strides", (0, 1, count), f"{one}, or none)", (2,) * wrong),
            rules.length("pads", counts, sides, (0,) * wrong),
            rules.length("dilations", counts, sides, (1,) * wrong),
            Rule("auto_pad", "autoPad must be 0.", {"autoPad": 1}, ACLNN),
            Rule("dilation_is_one", "All dilations must be 1.", {"dilations": cut(1, 2, 1)}, shared="pool"),
            rules.positive("kernelShape", cut(2, 0, 2)),
            rules.positive("strides", cut(2, 0, 2)),
            self.padding_negative,
            Rule("pads_kernel", total, {"pads": deep * 2}),
        )

    def forward(self, c_name: str, *samples: Sample) -> OpSpec:
        source = self.values("self", "The tensor to pool", self.source, ("float64", *INTEGERS))
        result = "The maximum of each window: the result."
        out = replace(source, name="out", doc=result, role="output", example=self.pooled)
        long_window = self.window_of(self.cut(1, 1, 2), 1, self.cut(0, 0, 1))
        return self.declare(
            c_name,
            (source, *self._window, out),
            (
                rules.dtype(source, "uint32"),
                *rules.soc_dtype(source, out, wrong="int8"),
                rules.same_dtype(out, source),
                rules.public_format(source, out),
                rules.same_format((out,), source, rules.changed(out, format=self.orders[0])),
                *rules.ranks(source, out),
                *self._window_rules,
                self.self_size(source),
                self.self_channels(source, out),
                self.window_fits(),
                self.out_bytes("out", 2**31, LONG[self.count], long_window),
                self.out_shape(out),
            ),
            samples,
            partner="",
            summary=f"{self.count}-D max pooling, values only: the maximum of each window.",
            formula="out[n,c,j] = max of self[n,c,i] over the cells i of window j",
            native="max_pool",
            doc=document(self, _DOC, format=FORMAT),
        )
