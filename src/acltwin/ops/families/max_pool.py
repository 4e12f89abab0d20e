"""Max pooling that keeps indices, and its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from acltwin.ops._rules import (
    Violation,
    dtype_rule,
    index_range_rule,
    length_rule,
    null_rules,
    positive_rule,
    public_format_rule,
    rank_rule,
    same_dtype_rule,
    same_format_rule,
    same_rank_rule,
    same_shape_rule,
    soc_dtype_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import HUGE, INTEGERS, Axes, ints, lower, unbatched, wider, wrapped
from acltwin.ops.spec import (
    ACLNN,
    ARRAY,
    DOCUMENTED,
    SOCS,
    Argument,
    CallCase,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
    Value,
)

_CELLS = (0.0850, -0.5147, -0.0212, -0.5654, -0.3222, 0.5847, 1.7510, 0.9954)
LONG = {1: (2**30,), 2: (2**30, 1), 3: (2**20, 2**10, 1)}

_WINDOW_DOC = """kernel_size, stride, padding, dilation: {of}one number or ({names}). \
A stride of ``None`` or ``()`` means \
the kernel size.
    ceil_mode: whether the number of windows {was} rounded up."""

FORWARD_DOC = """{count}-D max pooling that tells where each maximum was.

Each window keeps its maximum; ``indices`` says where it is. Of equal values the first one in C order is meant. A NaN
is larger than everything, and of several NaNs the last one gives the index. Padding is never the maximum.

Args:
    input: the tensor to pool, {shapes}; floats, integers of up to 64 bits or bool, such as scans and masks.
    {window}
    index_dtype: dtype of new indices; with ``out``, that of its second array is used. int32 reaches planes of up to
        2^31 - 1 cells.
    {format}
    out: where to write the results, instead of new arrays: a pair of arrays.

Returns:
    The maxima, an array of the same kind and dtype as ``input``, and the indices: places in the flattened, unpadded
    {plane} plane of ``input``.

>>> import numpy as np
>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> maxima, indices = {name}(image, {kernel}, None, 0, 1, False)
>>> maxima.ravel().tolist(), indices.ravel().tolist()
([5.0, 7.0], [1, 2])
"""

GRADIENT_DOC = """Gradient of {count}-D max pooling.

Pooling keeps the maximum of each window, and ``indices`` remembers where it was. The gradient of each maximum is
added there; where windows overlap, several gradients meet. All other cells are 0.

Args:
    grad_output: gradient of the pooled tensor, {shapes}; float32, float16, bfloat16 (summed in float32) or float64.
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: int32 or int64, shaped like ``grad_output``: places in the flattened {plane} plane of ``input``.
    {window}
    {format}
    out: where to write the result, instead of a new array.

Returns:
    The gradient of ``input``, an array of the same kind, shape and dtype.

Raises:
    IndexError: an index lies outside its plane; the message names its position and value.

>>> import numpy as np
>>> pooled_grad = np.array([5.0, 7.0], np.float32).reshape({ones}, 2)
>>> image = np.zeros(({ones}, 4), np.float32)
>>> indices = np.array([1, 2]).reshape(pooled_grad.shape)
>>> {name}(pooled_grad, image, indices, {kernel}, None, 0, 1, False).ravel().tolist()
[0.0, 5.0, 7.0, 0.0]
"""


@dataclass(frozen=True)
class MaxPool(Axes):
    """The two operators of some axes."""

    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    socs: tuple[str, ...] = ("Ascend950", "Ascend910_93", "Ascend910B")
    formats: tuple[str, ...] = ("ND",)
    channels_last_on_950: bool = False  # Ascend950 reads a channels-last format; the others reject it
    dilated_on_950: bool = False  # Ascend950 takes any dilation; otherwise the documents allow none on any SoC
    channels_needed: bool = False  # C = 0 is rejected
    lacking: tuple[tuple[str, str], ...] = ()  # (SoC, dtype) of the values
    wide_indices: tuple[str, ...] = ("Ascend950",)  # the SoCs with int64 indices
    plane_limited: bool = True  # all SoCs but Ascend950 count cells in int32, whatever dtype the indices have

    # ---- the example call ----

    @property
    def source(self) -> TensorCase:
        return self.tensor(2, 4, 4)

    @property
    def pooled(self) -> TensorCase:
        return self.tensor(1, 2, 2)

    @property
    def places(self) -> TensorCase:
        return self.tensor(1, 2, 2, dtype="int32")

    @property
    def window(self) -> dict[str, Value]:
        two = self.cut(2, 2, 2)
        none, one = self.cut(0, 0, 0), self.cut(1, 1, 1)
        return {"kernelSize": two, "stride": two, "padding": none, "dilation": one, "ceilMode": False}

    # ---- arguments ----

    def _tensor_argument(self, name: str, doc: str) -> Argument:
        return Argument(
            name,
            "tensor",
            f"{doc}: (C, {self.names}) or (N, C, {self.names}).",
            dtypes=self.dtypes,
            array_dtypes=("float64",),
            formats=self.formats,
            ranks=(1 + self.count, 2 + self.count),
            lacking=self.lacking,
        )

    def _indices(self, like: Argument, was: str, ending: str) -> Argument:
        lacking = tuple((soc, "int64") for soc in SOCS if soc not in self.wide_indices)
        note = " int64 only on Ascend950." if self.wide_indices == ("Ascend950",) else ""
        doc = f"Where each maximum {was} in the flattened, unpadded {self.plane} plane of self{ending}{note}"
        return replace(
            like,
            name="indices",
            doc=doc,
            dtypes=("int32", "int64"),
            array_dtypes=(),
            holds="indices",
            lacking=lacking,
        )

    @property
    def _window_arguments(self) -> tuple[Argument, ...]:
        each = self.names
        supported = "the device supports 1" if not self.dilated_on_950 else "1, except on Ascend950"
        return (
            ints("kernelSize", f"Size of the window: one value for all axes or {each}."),
            ints("stride", f"Step of the window: none (the kernel size), one value, or {each}.", "None"),
            ints("padding", f"Padding on both sides: one value or {each}; at most half the kernel.", "0"),
            ints("dilation", f"Step inside the window: one value or {each}; {supported}.", "1"),
            Argument("ceilMode", "bool", "Whether the number of windows is rounded up.", default="False"),
        )

    # ---- rules ----

    @property
    def _window_rules(self) -> tuple[Rule, ...]:
        count, cut = self.count, self.cut
        meaning, wrong = f"({self.names}, or 1 for all axes)", 5 - count
        none = f"{meaning[:-1]}, or none for the kernel size)"
        half = "padding must be at most half of kernelSize on each axis."
        return (
            length_rule("kernelSize", (1, count), meaning, (2,) * wrong),
            positive_rule("kernelSize", cut(2, 0, 2)),
            length_rule("stride", (0, 1, count), none, (2,) * wrong),
            positive_rule("stride", cut(2, 0, 2)),
            length_rule("padding", (1, count), meaning, (0,) * wrong),
            Rule("padding_negative", "No value of padding may be negative.", {"padding": cut(0, -1, 0)}, shared="pool"),
            Rule("padding_half", half, {"padding": cut(0, 3, 0)}, shared="pool"),
            length_rule("dilation", (1, count), meaning, (1,) * wrong),
            positive_rule("dilation", cut(1, 0, 1)),
        )

    def _dilation_one(self, *alike: str) -> Rule:
        """A plane that has as many windows of 2 with gaps as the usual one without."""
        larger = self.source.but(shape=(1, 2, 1 + 2 * self.pooled.shape[2], *self.source.shape[3:]))
        violation: dict[str, Value | str] = {
            "self": larger,
            "dilation": (2, *self.cut(1, 1, 1)[1:]),
            **dict.fromkeys(alike, larger),
        }
        if self.dilated_on_950:
            sentence = "dilation must be 1, except on Ascend950."
            return Rule("dilation_soc", sentence, violation, ACLNN, shared="pool")
        return Rule("dilation_one", "dilation must be 1.", violation, DOCUMENTED, shared="pool")

    def _format_rules(self, *results: tuple[str, TensorCase]) -> tuple[Rule, ...]:
        """The tensors whose formats are compared with that of self, and indices."""
        others = tuple(name for name, _ in results)
        name, tensor = results[-1]
        rules = [
            same_format_rule(others, "self", {name: tensor.but(format=f"NC{self.axes}")}),
            public_format_rule("indices", self.places),
        ]
        if self.channels_last_on_950:
            last = f"N{self.axes}C"
            turned = {"self": self.source, **dict(results)}
            violation = {
                each: case.but(format=last, shape=(1, *case.shape[2:], case.shape[1])) for each, case in turned.items()
            }
            sentence = f"{last} tensors need Ascend950."
            rules.append(Rule("channels_last_soc", sentence, violation, ACLNN, shared="pool"))
        return tuple(rules)

    def _size_rules(self, *alike: str) -> tuple[Rule, ...]:
        empty = dict.fromkeys(("self", *alike), self.tensor(2, 0, 4))
        return (Rule("self_size", f"{self.names} of self must be above 0.", empty, shared="pool"),)

    def _channel_rule(self, **others: TensorCase) -> tuple[Rule, ...]:
        if not self.channels_needed:
            return ()
        tensors = {"self": self.source, **others}
        violation = {name: case.but(shape=(1, 0, *case.shape[2:])) for name, case in tensors.items()}
        return (Rule("self_channels", "C of self must be above 0; N may be 0.", violation, ACLNN, shared="pool"),)

    def _plane_size(self, violation: Violation) -> tuple[Rule, ...]:
        if not self.plane_limited:
            return ()
        sentence = f"{self.plane} of self must be at most 2^31 - 1, except on Ascend950."
        return (Rule("plane_size", sentence, violation, ACLNN, shared="pool"),)

    def _soc_dtypes(self, argument: Argument, violation: Violation) -> tuple[Rule, ...]:
        return (soc_dtype_rule(argument, violation),) if argument.lacking else ()

    # ---- the two operators ----

    def forward(self, name: str, c_name: str, header: str, partner: str, aten: str) -> OpSpec:
        source, pooled, places, cut = self.source, self.pooled, self.places, self.cut
        source_argument = self._tensor_argument("self", "The tensor to pool")
        source_argument = replace(source_argument, array_dtypes=(*source_argument.array_dtypes, *INTEGERS))
        index = replace(self._indices(source_argument, "is", ": the second result."), role="output")
        out = replace(source_argument, name="out", doc="The maximum of each window: the first result.", role="output")
        arguments = (source_argument, *self._window_arguments, out, index)
        one, huge = (1,) * (2 + self.count), HUGE[self.count]
        huge_plane: dict[str, Value | str] = {
            "self": self.huge(*huge),
            "kernelSize": huge,
            "stride": (),
            "padding": cut(0, 0, 0),
            "out": pooled.but(shape=one),
            **self._changed({"indices": places.but(shape=one)}),
        }
        flat = {"out": self.tensor(1, 1, 2), "indices": self.tensor(1, 1, 2, dtype="int32")}
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("self", source),
            dtype_rule(source_argument, source.but(dtype="uint32")),
            *self._soc_dtypes(source_argument, self._lacking_tensors({"self": source, "out": pooled})),
            dtype_rule(index, places.but(dtype="int16")),
            *self._soc_dtypes(index, {"indices": places.but(dtype="int64")}),
            same_dtype_rule("out", "self", pooled.but(dtype="float16")),
            *self._format_rules(("out", pooled)),
            rank_rule(source_argument, lower(source)),
            same_rank_rule("out", "self", unbatched(pooled)),
            same_rank_rule("indices", "self", unbatched(places)),
            *self._window_rules,
            self._dilation_one(),
            *self._size_rules(),
            *self._channel_rule(out=pooled, **self._changed({"indices": places})),
            Rule(
                "window_fits",
                "At least one window must fit into self and its padding along each axis.",
                {"kernelSize": (source.shape[2] + 1, *cut(2, 2, 2)[1:]), "stride": cut(2, 2, 2)},
                shared="pool",
            ),
            *self._place_rules(flat, huge_plane),
            Rule(
                "out_bytes",
                "out and indices must have fewer than 2^63 bytes each.",
                {
                    "self": self.huge(*LONG[self.count]).but(shape=(1, 2**30, *LONG[self.count])),
                    "kernelSize": cut(1, 1, 2),
                    "stride": cut(1, 1, 1),
                    "padding": cut(0, 0, 1),
                },
                ARRAY,
                shared="pool",
            ),
            *self._bytes_rules,
            Rule(
                "out_shape",
                "out must have self's N and C, and one cell for each window.",
                {"out": wider(pooled), **self._changed({"indices": wider(places)})},
                shared="pool",
            ),
            *self._index_rules("out", huge_plane),
        )
        cells, top = self._sample
        sample = Sample(
            f"one window whose maximum is cell {top}",
            CallCase(
                {
                    "self": self.tensor(2, 2, 2, batch=(1, 1)).but(values=cells),
                    **self.window,
                    "out": self.tensor(1, 1, 1, batch=(1, 1)),
                    "indices": self.tensor(1, 1, 1, dtype="int32", batch=(1, 1)),
                }
            ),
            ((cells[top],), (float(top),)),
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            summary=f"{self.count}-D max pooling: the maximum of each window, and where it was.",
            formula="out[n,c,j] = max of self[n,c,i] over the cells i of window j; "
            "indices[n,c,j] = the first i that has it",
            arguments=arguments,
            socs=self.socs,
            valid=CallCase({"self": source, **self.window, "out": pooled, "indices": places}),
            rules=rules,
            samples=(sample,),
            family="pool",
            partner=partner,
            is_gradient=False,
            native="max_pool",
            aten=aten,
            doc=self._doc(FORWARD_DOC, name, "", "is"),
            **self._traits,
        )

    def gradient(self, name: str, c_name: str, header: str, partner: str, aten: str) -> OpSpec:
        source, pooled, places = self.source, self.pooled, self.places
        grad = self._tensor_argument("gradOutput", "Gradient of the pooled tensor")
        source_argument = replace(
            grad,
            name="self",
            doc="Input of the forward pass; its shape and dtype matter, its values are not read.",
            holds="shape",
        )
        index = self._indices(grad, "was", ".")
        result = replace(grad, name="gradInput", doc="Gradient of self: the result.", role="output")
        arguments = (grad, source_argument, index, *self._window_arguments, result)
        one, huge = (1,) * (2 + self.count), self.huge(*HUGE[self.count])
        more = (1, 3, *pooled.shape[2:])
        huge_plane: dict[str, Value | str] = {
            "gradOutput": pooled.but(shape=one),
            "self": huge,
            **self._changed({"indices": places.but(shape=one)}),
            "kernelSize": HUGE[self.count],
            "stride": (),
            "gradInput": huge,
        }
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("gradOutput", pooled),
            dtype_rule(source_argument, source.but(dtype="int32")),
            *self._soc_dtypes(
                source_argument, self._lacking_tensors({"self": source, "gradInput": source, "gradOutput": pooled})
            ),
            dtype_rule(index, places.but(dtype="int16")),
            *self._soc_dtypes(index, {"indices": places.but(dtype="int64")}),
            same_dtype_rule("gradOutput", "self", pooled.but(dtype="float16")),
            same_dtype_rule("gradInput", "self", source.but(dtype="float16")),
            *self._format_rules(("gradOutput", pooled), ("gradInput", source)),
            rank_rule(grad, lower(pooled)),
            rank_rule(source_argument, lower(source)),
            rank_rule(index, lower(places)),
            rank_rule(result, lower(source)),
            *self._window_rules,
            self._dilation_one("gradInput"),
            *(
                self._size_rules("gradInput")
                + self._channel_rule(gradOutput=pooled, **self._changed({"indices": places}), gradInput=source)
                if self.channels_needed
                else ()
            ),
            *(self._plane_size(huge_plane) + self._index_rules("gradOutput", huge_plane)),
            same_shape_rule("gradInput", "self", wider(source)),
            Rule(
                "grad_output_batch",
                "gradOutput must have self's rank, N and C.",
                {"gradOutput": pooled.but(shape=more), **self._changed({"indices": places.but(shape=more)})},
            ),
            Rule(
                "grad_output_size",
                f"{self.names} of gradOutput must be the numbers of windows over self.",
                {"gradOutput": wider(pooled), **self._changed({"indices": wider(places)})},
            ),
            index_range_rule(f"{self.plane} of self", self._outside),
        )
        cells, top = self._sample
        sample = Sample(
            f"one window whose maximum is cell {top}",
            CallCase(
                {
                    "gradOutput": self.tensor(1, 1, 1, batch=(1, 1)).but(values=(0.4757,)),
                    "self": self.tensor(2, 2, 2, batch=(1, 1)).but(values=cells),
                    "indices": self.tensor(1, 1, 1, dtype="int32", batch=(1, 1)).but(values=(top,)),
                    **self.window,
                    "gradInput": self.tensor(2, 2, 2, batch=(1, 1)),
                }
            ),
            (tuple(0.4757 if i == top else 0.0 for i in range(len(cells))),),
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=header,
            summary=f"Gradient of {self.count}-D max pooling: each gradient is added where its window's maximum was.",
            formula="gradInput = 0, then gradInput[n,c,indices[n,c,j]] += gradOutput[n,c,j] for ascending j",
            arguments=arguments,
            socs=self.socs,
            valid=CallCase(
                {"gradOutput": pooled, "self": source, "indices": places, **self.window, "gradInput": source}
            ),
            rules=rules,
            samples=(sample,),
            family="pool",
            partner=partner,
            is_gradient=True,
            native="max_pool_backward",
            aten=aten,
            doc=self._doc(GRADIENT_DOC, name, "those of the forward pass, ", "was"),
            **self._traits,
        )

    # ---- what both share ----

    def _changed(self, indices: dict[str, TensorCase]) -> dict[str, TensorCase]:
        """What of a violation has the shape of the windows, beside the values."""
        return indices

    @property
    def _outside(self) -> TensorCase:
        """Indices of which one is outside."""
        cells, bad = prod(self.source.shape[2:]), prod(self.pooled.shape[2:]) + 1
        values = tuple(cells if i == bad else (0, 2, 8, 10)[i % 4] for i in range(prod(self.pooled.shape)))
        return self.places.but(values=values)

    def _lacking_tensors(self, tensors: Mapping[str, TensorCase]) -> dict[str, Value | str]:
        """These tensors with a dtype that a SoC lacks."""
        if not self.lacking:
            return {}
        soc, dtype = self.lacking[0]
        changed: dict[str, Value | str] = {name: tensor.but(dtype=dtype) for name, tensor in tensors.items()}
        return changed if ("Ascend910B", dtype) in self.lacking else {**changed, "soc": soc}

    def _place_rules(self, flat: Violation, huge_plane: Violation) -> tuple[Rule, ...]:
        """What indices ask of windows and planes."""
        cut = self.cut
        return (
            Rule(
                "window_cells",
                "Every window must cover a cell of self. (Only dilation can leave one entirely in the padding.)",
                {"padding": cut(0, 1, 0), "dilation": cut(1, 5, 1), **flat, **self._dilating},
                ("array", "device") if not self.dilated_on_950 else ("array", "documented", "device"),
            ),
            *self._plane_size(huge_plane),
            Rule(
                "indices_width",
                f"int32 indices need a {self.plane} of self of at most 2^31 - 1.",
                {**huge_plane, **({"soc": "Ascend950"} if self.plane_limited else {})},
            ),
        )

    @property
    def _bytes_rules(self) -> tuple[Rule, ...]:
        """About results that do not have the shape of the windows."""
        return ()

    def _index_rules(self, pooled: str, huge_plane: Violation) -> tuple[Rule, ...]:
        """The shape of the indices, by that of the pooled tensor."""
        return (same_shape_rule("indices", pooled, wider(self.places)),)

    @property
    def _dilating(self) -> dict[str, Value | str]:
        """Where a violation needs dilation."""
        return {"soc": "Ascend950"} if self.dilated_on_950 else {}

    @property
    def _traits(self) -> dict[str, Any]:
        return {
            "axes": self.axes,
            "lone_axis": "C",
            "channels_last_arrays": True,
            "data_formats": self.orders if self.channels_last_on_950 else (),
        }

    @property
    def _sample(self) -> tuple[tuple[float, ...], int]:
        """The cells of one window, and which is the largest."""
        cells = _CELLS[-(2**self.count) :]
        return cells, max(range(len(cells)), key=cells.__getitem__)

    @property
    def kernel_text(self) -> str:
        """Two cells along the last axis."""
        return f"({', '.join(['1'] * (self.count - 1))}{', ' if self.count > 1 else ''}2)"

    def _doc(self, template: str, name: str, of: str, was: str, mask: str = "") -> str:
        ones = ", ".join(["1"] * (1 + self.count))
        doc = template.format(
            name=name,
            count=self.count,
            shapes=self.shapes("C"),
            plane=self.plane,
            ones=ones,
            kernel=self.kernel_text,
            window=_WINDOW_DOC.format(names=self.names, of=of, was=was),
            format=self.format_doc,
            mask=mask,
        )
        return wrapped(doc)


IMAGES = MaxPool(
    "HW",
    formats=("NCHW", "NHWC", "ND"),
    channels_last_on_950=True,
    dilated_on_950=True,
    channels_needed=True,
    wide_indices=SOCS,
    plane_limited=False,
)
"""As the 2-D operators with indices have it."""
