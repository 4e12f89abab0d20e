"""Max pooling that keeps indices, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from acltwin.ops.families import rules
from acltwin.ops.families.docs import INDEX_FORMAT, OUTSIDE, PAIR, document
from acltwin.ops.families.family import ints
from acltwin.ops.families.pooling import CEIL_MODE, HUGE, LONG, PASSED, Pooling, window_doc
from acltwin.ops.families.rules import Shape, Violation
from acltwin.ops.spec import (
    ACLNN,
    DOCUMENTED,
    EVERYWHERE,
    FROM_910B,
    INTEGERS,
    SOCS,
    Argument,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
)

_CELLS = (0.0850, -0.5147, -0.0212, -0.5654, -0.3222, 0.5847, 1.7510, 0.9954)

_FORWARD_DOC = """{count}-D max pooling that tells where each maximum was.

Each window keeps its maximum; ``indices`` says where it is. Of equal values the first one in C order is meant. A NaN
is larger than everything, and of several NaNs the last one gives the index. Padding is never the maximum.

    input: the tensor to pool, {shapes}; floats, integers of up to 64 bits or bool, such as scans and masks.
    kernel_size, stride, padding, dilation: {window}
    {index_dtype}

    The maxima, an array of the same kind and dtype as ``input``, and the indices: places in the flattened, unpadded
    {plane} plane of ``input``.

>>> image = np.array([1, 5, 7, 3], np.float32).reshape({ones}, 4)
>>> maxima, indices = {name}(image, {two}, None, 0, 1, False)
>>> maxima.ravel().tolist(), indices.ravel().tolist()
([5.0, 7.0], [1, 2])
"""
INDEX_DTYPE = """index_dtype: dtype of new indices; with ``out``, that of its second array is used. int32 reaches \
planes of up to 2^31 - 1 cells."""

_GRADIENT_DOC = """Gradient of {count}-D max pooling{to_size}.

Pooling keeps the maximum of each window, and ``indices`` remembers where it was. The gradient of each maximum is
added there; where windows overlap, several gradients meet. All other cells are 0.

    grad_output: gradient of the pooled tensor, {shapes}; {floats}.
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: int32 or int64, shaped like ``grad_output``: places in the flattened {plane} plane of ``input``.
    {window}

    The gradient of ``input``, an array of the same kind, shape and dtype.

>>> pooled_grad = np.array([5.0, 7.0], np.float32).reshape({ones}, 2)
{example}
"""
_EXAMPLE = """>>> image = np.zeros(({ones}, 4), np.float32)
>>> indices = np.array([1, 2]).reshape(pooled_grad.shape)
>>> {name}(pooled_grad, image, indices, {two}, None, 0, 1, False).ravel().tolist()
[0.0, 5.0, 7.0, 0.0]"""

_WINDOW = f"kernel_size, stride, padding, dilation: {window_doc(PASSED, 'was')}"


@dataclass(frozen=True)
class MaxPool(Pooling):
    """The two operators of some axes."""

    socs: tuple[str, ...] = FROM_910B
    channels_last_on_950: bool = False  # Ascend950 reads a channels-last format; the others reject it
    dilated_on_950: bool = False  # Ascend950 takes any dilation; otherwise the documents allow none on any SoC
    channels_needed: bool = False  # C = 0 is rejected
    wide_indices: tuple[str, ...] = ("Ascend950",)  # the SoCs with int64 indices
    plane_limited: bool = True  # all SoCs but Ascend950 count cells in int32, whatever dtype the indices have

    @property
    def example_format(self) -> str:
        return "ND"

    @property
    def places(self) -> TensorCase:
        return self.pooled.but(dtype="int32")

    @property
    def traits(self) -> dict[str, Any]:
        orders = self.orders if self.channels_last_on_950 else ()
        return {"family": "pool", "channels_last_arrays": True, "data_formats": orders}

    # ---- the two operators ----

    def forward(self, c_name: str, *samples: Sample, aten: str = "{name}") -> OpSpec:
        source, out, index = self.forward_tensors("out", "indices")
        alike = self.alike(index)
        window = {"kernelSize": HUGE[self.count], "stride": (), "padding": self.sizes(0)}
        huge_plane = {**self.huge_plane(source, out, *alike), **window}
        long_window = self.window_of(self.cut(1, 1, 2), 1, self.cut(0, 0, 1))
        return self.declare(
            c_name,
            (source, *self.window, out, index),
            (
                rules.dtype(source, "uint32"),
                *rules.soc_dtype(source, out),
                rules.dtype(index, "int16"),
                *rules.soc_dtype(index),
                rules.same_dtype(out, source),
                *self.format_rules(source, index, out),
                *rules.ranks(source, out, index),
                *self.window_rules,
                self.dilation_one(source),
                self.self_size(source),
                *self.channel_rules(source, out, *alike),
                self.window_fits(),
                *self.place_rules(huge_plane, out, *alike),
                self.out_bytes("out and indices", 2**30, LONG[self.count], long_window),
                *self.bytes_rules,
                self.out_shape(out, *alike),
                *self.index_rules(index, out, huge_plane),
            ),
            samples or [self._one_window],
            summary=f"{self.count}-D max pooling: the maximum of each window, and where it was.",
            formula="out[n,c,j] = max of self[n,c,i] over the cells i of window j; "
            "indices[n,c,j] = the first i that has it",
            native="max_pool",
            aten=aten,
            doc=document(
                self, _FORWARD_DOC, format=INDEX_FORMAT, out=PAIR, index_dtype=INDEX_DTYPE, window=window_doc()
            ),
        )

    def gradient(self, c_name: str, *samples: Sample, aten: str = "{name}") -> OpSpec:
        grad, source, index, result = self.gradient_tensors
        alike = self.alike(index)
        window = {"kernelSize": HUGE[self.count], "stride": ()}
        huge_plane = {**self.huge_plane(grad, source, *alike, result), **window}
        size = f"{self.names} of gradOutput must be the numbers of windows over self."
        return self.declare(
            c_name,
            (grad, source, index, *self.window, result),
            (
                rules.dtype(source),
                *rules.soc_dtype(source, result, grad),
                rules.dtype(index, "int16"),
                *rules.soc_dtype(index),
                rules.same_dtype(grad, source),
                rules.same_dtype(result, source),
                *self.format_rules(source, index, grad, result),
                *map(rules.rank, (grad, source, index, result)),
                *self.window_rules,
                self.dilation_one(source, result),
                *([self.self_size(source, result)] if self.channels_needed else []),
                *self.channel_rules(grad, source, *alike, result),
                *self.plane_size(huge_plane),
                *self.index_rules(index, grad, huge_plane),
                rules.same_shape(result, source),
                rules.same_batch(grad, source, *alike, batch="rank, N and C"),
                Rule("grad_output_size", size, rules.reshaped(rules.wider, grad, *alike), shared="pool"),
                rules.index_range(f"{self.plane} of self", index, *self.outside),
            ),
            samples or [self.one_gradient],
            summary=f"Gradient of {self.count}-D max pooling: each gradient is added where its window's maximum was.",
            formula="gradInput = 0, then gradInput[n,c,indices[n,c,j]] += gradOutput[n,c,j] for ascending j",
            native="pool_backward",
            planned_in="max_pool_backward",
            aten=aten,
            doc=self.gradient_doc(example=_EXAMPLE, window=_WINDOW),
        )

    # ---- arguments ----

    def forward_tensors(self, first: str, second: str) -> tuple[Argument, Argument, Argument]:
        """Source, and the results of these names."""
        source = self.values("self", "The tensor to pool", self.source, ("float64", *INTEGERS))
        doc = "The maximum of each window: the first result."
        out = replace(source, name=first, doc=doc, role="output", example=self.pooled)
        return source, out, replace(self.indices(source, "is", ": the second result."), name=second, role="output")

    @property
    def gradient_tensors(self) -> tuple[Argument, Argument, Argument, Argument]:
        grad = self.values("gradOutput", "Gradient of the pooled tensor", self.pooled)
        doc = "Input of the forward pass; its shape and dtype matter, its values are not read."
        source = replace(grad, name="self", doc=doc, holds="shape", example=self.source)
        result = replace(source, name="gradInput", doc="Gradient of self: the result.", role="output", holds="values")
        return grad, source, self.indices(grad, "was", "."), result

    @property
    def window(self) -> tuple[Argument, ...]:
        supported = "1, except on Ascend950" if self.dilated_on_950 else "the device supports 1"
        doc = f"Step inside the window: one value or {self.names}; {supported}."
        return (*self.window_arguments, ints("dilation", doc, self.sizes(1), "1"), CEIL_MODE)

    def indices(self, like: Argument, was: str, ending: str) -> Argument:
        note = " int64 only on Ascend950." if self.wide_indices == ("Ascend950",) else ""
        return replace(
            like,
            name="indices",
            doc=f"Where each maximum {was} in the flattened, unpadded {self.plane} plane of self{ending}{note}",
            example=self.places,
            dtypes=("int32", "int64"),
            array_dtypes=(),
            holds="indices",
            lacking=tuple((soc, "int64") for soc in SOCS if soc not in self.wide_indices),
        )

    def alike(self, index: Argument) -> tuple[Argument, ...]:
        """What has the shape of the windows, beside the values."""
        return (index,)

    # ---- violations ----

    def huge_plane(self, *tensors: Argument) -> dict[str, Any]:
        """Tensors over a plane that int32 cannot count; the pooled ones have one window."""
        window = rules.reshaped(lambda shape: (1,) * len(shape), *tensors)
        large = [each.name for each in tensors if each.case.shape == self.source.shape]
        return {**window, **dict.fromkeys(large, self.huge(*HUGE[self.count]))}

    @property
    def outside(self) -> tuple[float, ...]:
        """Indices of which one is outside."""
        cells, bad = prod(self.source.shape[2:]), prod(self.pooled.shape[2:]) + 1
        return tuple(cells if i == bad else (0, 2, 8, 10)[i % 4] for i in range(prod(self.pooled.shape)))

    # ---- rules ----

    @property
    def window_rules(self) -> tuple[Rule, ...]:
        meaning = f"({self.names}, or 1 for all axes)"
        return (
            *super().window_rules,
            rules.length("dilation", (1, self.count), meaning, (1,) * (5 - self.count)),
            rules.positive("dilation", self.cut(1, 0, 1)),
        )

    def dilation_one(self, *planes: Argument) -> Rule:
        """A plane that has as many windows of 2 with gaps as the usual one without."""
        larger = self.source.but(shape=(1, 2, 1 + 2 * self.pooled.shape[2], *self.source.shape[3:]))
        violation: Violation = {"dilation": (2, *self.sizes(1)[1:]), **{plane.name: larger for plane in planes}}
        if self.dilated_on_950:
            sentence = "dilation must be 1, except on Ascend950."
            return Rule("dilation_soc", sentence, violation, ACLNN, shared="pool")
        return Rule("dilation_one", "dilation must be 1.", violation, DOCUMENTED, shared="pool")

    def format_rules(self, source: Argument, index: Argument, *others: Argument) -> tuple[Rule, ...]:
        same = rules.same_format(others, source, rules.changed(others[-1], format=self.orders[0]))
        public = rules.public_format(index)
        if not self.channels_last_on_950:
            return same, public
        last = self.orders[1]
        turned = rules.channels_last(last, source, *others)
        return same, public, Rule("channels_last_soc", f"{last} tensors need Ascend950.", turned, ACLNN, shared="pool")

    def channel_rules(self, *tensors: Argument) -> tuple[Rule, ...]:
        return (self.self_channels(*tensors),) if self.channels_needed else ()

    def place_rules(self, huge_plane: Violation, *pooled: Argument) -> tuple[Rule, ...]:
        """What indices ask of windows and planes."""
        flat = {each.name: self.tensor(1, 1, 2).but(dtype=each.case.dtype) for each in pooled}
        dilated: Violation = {**flat, "padding": self.cut(0, 1, 0), "dilation": self.cut(1, 5, 1)}
        on_950: Violation = {"soc": "Ascend950"}
        covered = "Every window must cover a cell of self. (Only dilation can leave one entirely in the padding.)"
        cells = Rule("window_cells", covered, dilated, ("array", "device"))
        if self.dilated_on_950:
            cells = replace(cells, violation={**dilated, **on_950}, judges=EVERYWHERE)
        width = {**huge_plane, **on_950} if self.plane_limited else huge_plane
        narrow = f"int32 indices need a {self.plane} of self of at most 2^31 - 1."
        return cells, *self.plane_size(huge_plane), Rule("indices_width", narrow, width)

    def plane_size(self, huge_plane: Violation) -> tuple[Rule, ...]:
        if not self.plane_limited:
            return ()
        sentence = f"{self.plane} of self must be at most 2^31 - 1, except on Ascend950."
        return (Rule("plane_size", sentence, huge_plane, ACLNN, shared="pool"),)

    @property
    def bytes_rules(self) -> tuple[Rule, ...]:
        """About results that do not have the shape of the windows."""
        return ()

    def index_rules(self, index: Argument, pooled: Argument, huge_plane: Violation) -> tuple[Rule, ...]:
        """The shape of the indices, by that of the pooled tensor."""
        return (rules.same_shape(index, pooled),)

    # ---- samples and docstrings ----

    @property
    def _cells(self) -> tuple[float, ...]:
        return _CELLS[-(2**self.count) :]

    @property
    def _top(self) -> int:
        return self._cells.index(max(self._cells))

    @property
    def _one_window(self) -> Sample:
        one = self.plane_of(1, 1, 1)
        changes = {"self": self.plane_of(2, 2, 2, values=self._cells), "out": one, "indices": one.but(dtype="int32")}
        title = f"one window whose maximum is cell {self._top}"
        return self.sample(title, changes, (self._cells[self._top],), (float(self._top),))

    @property
    def one_gradient(self) -> Sample:
        title = f"one window whose maximum is cell {self._top}"
        return self.scattered(title, (2, 2, 2), (1, 1, 1), {self._top: 0.4757})

    def scattered(self, title: str, size: Shape, pooled: Shape, gradients: dict[int, float]) -> Sample:
        """The gradient of a plane of this size, by the places of its maxima."""
        plane, grad = self.plane_of(*size), self.plane_of(*pooled, values=gradients.values())
        places = grad.but(dtype=self.places.dtype, values=tuple(gradients))
        changes = {"gradOutput": grad, "self": plane, "indices": places, "gradInput": plane}
        return self.sample(title, changes, tuple(gradients.get(i, 0.0) for i in range(prod(plane.shape))))

    def gradient_doc(self, **words: str) -> str:
        known = {"to_size": "", "window": "", **words}
        return document(self, _GRADIENT_DOC, format=INDEX_FORMAT, raises=OUTSIDE, **known)


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
