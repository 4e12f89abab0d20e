"""Max pooling without indices, whose padding may differ from side to side."""

from __future__ import annotations

from dataclasses import dataclass, replace

from acltwin.ops._rules import (
    dtype_rule,
    length_rule,
    null_rules,
    positive_rule,
    public_format_rule,
    rank_rule,
    same_dtype_rule,
    same_format_rule,
    same_rank_rule,
    soc_dtype_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import INTEGERS, ints, lower, unbatched, wider, wrapped
from acltwin.ops.families.max_pool import LONG, MaxPool
from acltwin.ops.spec import ACLNN, ARRAY, Argument, CallCase, OpSpec, Rule, Sample, TensorCase, Value

_DOC = """{count}-D max pooling: values only, with padding that may differ from side to side.

Each window keeps its maximum; a NaN is larger than everything. Padding is never the maximum, but a window of padding
only gives -infinity, or the lowest integer.

Args:
    input: the tensor to pool, {shapes}; floats, integers of up to 64 bits or bool.
    kernel_shape: one number or ({names}).
    strides: one number or ({names}); ``None`` or ``()`` means 1, not the kernel size.
    pads: one number for all sides, ({names}), or first those before the cells and then those behind them; on each \
axis at most the kernel in total.
    dilations: only 1.
    ceil_mode: whether the number of windows is rounded up.
    data_format: order of the axes of all tensors, which are {rank}-D for ``"{last}"``.
    out: where to write the result, instead of a new array.

Returns:
    The maxima, an array of the same kind and dtype as ``input``.

>>> import numpy as np
>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> {name}(image, {kernel}, {kernel}).ravel().tolist()
[5.0, 7.0]
"""


@dataclass(frozen=True)
class PlainMaxPool(MaxPool):
    """The operator of some axes."""

    def tensor(self, *dhw: int, dtype: str = "float16", batch: tuple[int, ...] = (1, 2)) -> TensorCase:
        """Of the dtype that every SoC has."""
        return super().tensor(*dhw, dtype=dtype, batch=batch)

    @property
    def _window(self) -> dict[str, Value]:
        two, none, one = self.cut(2, 2, 2), self.cut(0, 0, 0), self.cut(1, 1, 1)
        return {"kernelShape": two, "strides": two, "autoPad": 0, "pads": none, "dilations": one, "ceilMode": 0}

    @property
    def _own_arguments(self) -> tuple[Argument, ...]:
        each, sides = self.names, 2 * self.count
        step = ints("strides", f"Step of the window: none (1), one value, or {each}.", "1")
        pads = ints(
            "pads", f"Padding: none (0), one value, {each}, or {sides}: first before all axes, then behind.", "0"
        )
        gaps = ints("dilations", "Step inside the window: only 1.", "1")
        return (
            replace(
                ints("kernelShape", f"Size of the window: one value for all axes or {each}."), known_as="kernelSize"
            ),
            replace(step, known_as="stride", empty=1),
            Argument("autoPad", "int64", "Only 0: the padding is that of pads.", c_only=True),
            replace(pads, known_as="padding"),
            replace(gaps, known_as="dilation", empty=1),
            Argument("ceilMode", "int64", "Whether the number of windows is rounded up: 0 or not.", default="False"),
        )

    def _own_rules(self, source: TensorCase) -> tuple[Rule, ...]:
        count, cut = self.count, self.cut
        meaning, wrong = f"({self.names}, or 1 for all axes)", 5 - count
        none = f"{meaning[:-1]}, or none)"
        sides = f"{meaning[:-1]}, none, or {2 * count}: first before, then behind)"
        return (
            length_rule("kernelShape", (1, count), meaning, (2,) * wrong),
            length_rule("strides", (0, 1, count), none, (2,) * wrong),
            length_rule("pads", (0, 1, count, 2 * count), sides, (0,) * wrong),
            length_rule("dilations", (0, 1, count, 2 * count), sides, (1,) * wrong),
            Rule("auto_pad", "autoPad must be 0.", {"autoPad": 1}, ACLNN),
            Rule("dilation_is_one", "All dilations must be 1.", {"dilations": cut(1, 2, 1)}, shared="pool"),
            positive_rule("kernelShape", cut(2, 0, 2)),
            positive_rule("strides", cut(2, 0, 2)),
            Rule("padding_negative", "No value of pads may be negative.", {"pads": cut(0, -1, 0)}, shared="pool"),
            Rule(
                "pads_kernel",
                "The pads of each axis must be at most kernelShape in total.",
                {"pads": (5, *(0,) * (count - 1)) * 2},
            ),
            *self._size_rules(),
            *self._channel_rule(out=self.pooled),
            Rule(
                "window_fits",
                "At least one window must fit into self and its padding along each axis.",
                {"kernelShape": (source.shape[2] + 1, *cut(2, 2, 2)[1:])},
                shared="pool",
            ),
        )

    def operator(self, name: str, c_name: str, header: str, samples: tuple[Sample, ...]) -> OpSpec:
        source, pooled = self.source, self.pooled
        first = self._tensor_argument("self", "The tensor to pool")
        others = tuple(dtype for dtype in INTEGERS if dtype not in first.dtypes)
        first = replace(first, array_dtypes=(*first.array_dtypes, *others))
        out = replace(first, name="out", doc="The maximum of each window: the result.", role="output")
        arguments = (first, *self._own_arguments, out)
        private = {"self": source.but(format="FRACTAL_Z"), "out": pooled.but(format="FRACTAL_Z")}
        lacking: dict[str, TensorCase] = {"self": source.but(dtype="int8"), "out": pooled.but(dtype="int8")}
        rules = (
            *null_rules(arguments),
            tensor_shape_rule("self", source),
            dtype_rule(first, source.but(dtype="uint32")),
            soc_dtype_rule(first, lacking),
            same_dtype_rule("out", "self", pooled.but(dtype="float32")),
            replace(public_format_rule("self", source), violation=private),
            same_format_rule(("out",), "self", {"out": pooled.but(format=f"NC{self.axes}")}),
            rank_rule(first, lower(source)),
            same_rank_rule("out", "self", unbatched(pooled)),
            *self._own_rules(source),
            Rule(
                "out_bytes",
                "out must have fewer than 2^63 bytes.",
                {
                    "self": self.huge(*LONG[self.count]).but(dtype="float16", shape=(1, 2**31, *LONG[self.count])),
                    "kernelShape": self.cut(1, 1, 2),
                    "strides": self.cut(1, 1, 1),
                    "pads": self.cut(0, 0, 1),
                },
                ARRAY,
                shared="pool",
            ),
            Rule(
                "out_shape",
                "out must have self's N and C, and one cell for each window.",
                {"out": wider(pooled)},
                shared="pool",
            ),
        )
        doc = _DOC.format(
            name=name,
            count=self.count,
            names=self.names,
            shapes=self.shapes("C"),
            rank=2 + self.count,
            last=self.orders[1],
            ones=", ".join(["1"] * (1 + self.count)),
            kernel=self.kernel_text,
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            summary=f"{self.count}-D max pooling, values only: the maximum of each window.",
            formula="out[n,c,j] = max of self[n,c,i] over the cells i of window j",
            arguments=arguments,
            socs=self.socs,
            valid=CallCase({"self": source, **self._window, "out": pooled}),
            rules=rules,
            samples=samples,
            family="plain_pool",
            partner="",
            is_gradient=False,
            native="max_pool",
            doc=wrapped(doc),
            axes=self.axes,
            lone_axis="C",
            channels_last_arrays=True,
        )
