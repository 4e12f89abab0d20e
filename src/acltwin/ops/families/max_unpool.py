"""Max unpooling and its gradient."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from acltwin.ops.families import rules
from acltwin.ops.families.docs import INDEX_FORMAT, OUT, OUTSIDE, document
from acltwin.ops.families.family import Family, ints
from acltwin.ops.families.rules import Violation
from acltwin.ops.spec import FROM_910B, Argument, Check, OpSpec, Rule, Sample, TensorCase

_WINDOW_DOC = """
    stride, padding: those of the pooling that is undone. They are checked; the result does not depend on them."""
_DTYPES_DOC = (
    """float32, float16, bfloat16, float64, int8, uint8, int16, int32, int64{bool}: elements are copied as they are."""
)
_FORWARD_DOC = """{count}-D max unpooling.

Each element of ``input`` goes to the place that ``indices`` names in a larger plane of zeros. Where two elements
name the same place, the later one stays.

    input: the pooled tensor, {shapes}. Any of {dtypes}
    indices: int64 or int32, shaped like ``input``: places in the flattened {plane} plane of the result.
    output_size: {names} of the result.{window}

    The unpooled tensor, an array of the same kind and dtype as ``input``.

>>> pooled = np.array([5.0, 7.0], np.float32).reshape({ones}, 2)
>>> indices = np.array([1, 2]).reshape(pooled.shape)
>>> {name}(pooled, indices, {four}{undone}).ravel().tolist()
[0.0, 5.0, 7.0, 0.0]
"""
_GRADIENT_DOC = """Gradient of {count}-D max unpooling.

Unpooling puts each element of its input at the place that ``indices`` names in a larger plane of zeros. Its
gradient fetches: element ``j`` of the result is ``grad_output`` at place ``indices[j]`` of the same plane.

    grad_output: gradient of the unpooled tensor, {shapes}. Any of {dtypes}
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: int64 or int32, shaped like ``input``: places in the flattened {plane} plane of ``grad_output``.
    output_size: {names} of ``grad_output``.{window}

    The gradient of ``input``, an array of the same kind, shape and dtype.

>>> grad_output = np.arange(4, dtype=np.float32).reshape({ones}, 4)
>>> pooled = np.zeros(({ones}, 2), np.float32)
>>> indices = np.array([3, 1]).reshape(pooled.shape)
>>> {name}(grad_output, pooled, indices, {four}{undone}).ravel().tolist()
[3.0, 1.0]
"""


@dataclass(frozen=True)
class MaxUnpool(Family):
    """The two operators of some axes."""

    dtypes: tuple[str, ...] = ("float32", "float16", "float64", "int8", "uint8", "int16", "int32", "int64")
    index_dtypes: tuple[str, ...] = ("int32", "int64")
    result: str = "out"
    windowed: bool = False  # the stride and the padding of the pooling are arguments
    contiguous: bool = False  # the result must be
    casts: bool = False  # the result may have another dtype

    @property
    def traits(self) -> dict[str, Any]:
        return {"family": "unpool", "channels_last_arrays": True}

    # ---- the two operators ----

    def forward(self, c_name: str, *samples: Sample) -> OpSpec:
        source = self._values("self", "The pooled tensor", self.tensor(1, 2, 2))
        places = f"Where each element of self goes in the flattened {self.plane} plane of {self.result}."
        index = self._indices(source, places)
        result = self._result(source, "The unpooled tensor", self.tensor(2, 4, 4))
        return self.declare(
            c_name,
            (source, index, *self._parameters(result), result),
            (
                *self._contiguous_rules(result, (64, 32, 16, 1, 4)),
                rules.dtype(source, "uint16"),
                rules.same_dtype(result, source),
                rules.dtype(index, "int16"),
                *rules.ranks(source, index, result),
                rules.same_shape(index, source),
                self._self_size(source, index, result),
                rules.length("outputSize", (self.count,), f"({self.names} of the result)", self.cut(2, 4, 4)[1:]),
                *self._size_rules,
                self._volume_rule(result),
                self.output_size_bytes,
                self._size_rule(result),
                rules.same_batch(result, source, batch=self._batch),
                self._index_range(index, result),
            ),
            samples,
            summary=f"{self.count}-D max unpooling: each element goes to the place its index names in a plane of "
            "zeros.",
            formula=f"{result.name} = 0, then {result.name}[n,c,indices[n,c,j]] = self[n,c,j] for ascending j",
            native="max_unpool",
            aten="{name}",
            doc=self._doc(_FORWARD_DOC, " It must be contiguous." * self.contiguous),
        )

    def gradient(self, c_name: str, *samples: Sample) -> OpSpec:
        grad = self._values("gradOutput", "Gradient of the unpooled tensor", self.tensor(2, 4, 4))
        shape = "Input of the forward pass; its shape and dtype count, its values are not read."
        source = replace(grad, name="self", doc=shape, holds="shape", example=self.tensor(1, 2, 2))
        index = self._indices(
            source, f"Where each element of self went in the flattened {self.plane} plane of gradOutput."
        )
        result = self._result(grad, "Gradient of self", source.case)
        note = " It may have another dtype, to which elements are converted."
        castable = "a dtype that gradOutput's can be cast to: a float if that is one, and bool only for bool."
        cast = Rule("out_cast", f"out must have {castable}", rules.changed(result, dtype="int32"), raises=TypeError)
        length = f"outputSize must have {self.count} values ({self.names} of gradOutput)."
        return self.declare(
            c_name,
            (grad, source, index, *self._parameters(grad), result),
            (
                *self._contiguous_rules(result, (8, 4, 4, 1, 2)),
                rules.dtype(grad, "uint16"),
                rules.same_dtype(source, grad),
                *((rules.dtype(result, "uint16"), cast) if self.casts else (rules.same_dtype(result, grad),)),
                rules.dtype(index, "int16"),
                *rules.ranks(source, index, result),
                rules.same_shape(index, source),
                rules.same_shape(result, source),
                self._self_size(source, index, grad, result),
                Rule("output_size_length", length, {"outputSize": self.cut(2, 4, 4)[1:]}),
                *self._size_rules,
                *([self._volume_rule(grad)] if self.windowed else []),
                rules.same_rank(grad, source),
                self._size_rule(grad),
                rules.same_batch(grad, source, batch=self._batch),
                self._index_range(index, grad),
            ),
            samples,
            summary=f"Gradient of {self.count}-D max unpooling: each element fetches the gradient from the place its "
            "index names.",
            formula=f"out[n,c,j] = gradOutput[n,c,indices[n,c,j]] on the flattened {self.plane} axis of each plane",
            native="max_unpool_backward",
            doc=self._doc(_GRADIENT_DOC, note * self.casts),
        )

    # ---- arguments ----

    def _values(self, name: str, doc: str, example: TensorCase) -> Argument:
        return replace(self.values(name, doc, example, ("float64", "bfloat16")), formats=("ND", self.orders[0]))

    def _indices(self, like: Argument, doc: str) -> Argument:
        others = tuple(dtype for dtype in ("int32", "int64") if dtype not in self.index_dtypes)
        example = self.tensor(1, 2, 2).but(dtype="int64")
        return replace(
            like,
            name="indices",
            doc=doc,
            example=example,
            dtypes=self.index_dtypes,
            array_dtypes=others,
            holds="indices",
        )

    def _parameters(self, unpooled: Argument) -> tuple[Argument, ...]:
        size = Argument("outputSize", "int_array", f"{self.names} of {unpooled.name}.", self.cut(2, 4, 4))
        if not self.windowed:
            return (size,)
        stride, padding = "Stride of the pooling that is undone", "Padding of the pooling that is undone"
        return (
            size,
            ints("stride", f"{stride}; checked, not needed.", self.sizes(2), "None"),
            ints("padding", f"{padding}; its values are free.", self.sizes(0), "0"),
        )

    def _result(self, like: Argument, doc: str, example: TensorCase) -> Argument:
        note = " It must be contiguous." if self.contiguous else ""
        return replace(like, name=self.result, doc=f"{doc}: the result.{note}", role="output", example=example)

    # ---- rules ----

    def _contiguous_rules(self, result: Argument, strides: tuple[int, ...]) -> tuple[Rule, ...]:
        return (rules.contiguous(result, strides),) if self.contiguous else ()

    @property
    def _size_rules(self) -> tuple[Rule, ...]:
        sizes = rules.positive("outputSize", self.cut(2, 0, 4))
        if not self.windowed:
            return (sizes,)
        return (
            rules.length("stride", (self.count,), f"({self.names})", (2, 2), (0, 1)),
            rules.length("padding", (self.count,), f"({self.names})", (0, 0), (1,)),
            rules.positive("stride", self.cut(2, 0, 2)),
            sizes,
        )

    def _self_size(self, *tensors: Argument) -> Rule:
        empty = rules.reshaped(rules.without_channels, *tensors)
        check = Check("rest_filled", ("self",), meaning="there are no cells: only the batch may be empty")
        return Rule("self_size", "Every dimension of self but the first must be above 0.", empty, check=check)

    def _volume_rule(self, unpooled: Argument) -> Rule:
        few = self.tensor(1, 1, 2)
        sentence = f"outputSize must have at least as many cells as the {self.plane} of self."
        sizes: Violation = {unpooled.name: few, "outputSize": few.shape[2:]}
        return Rule("output_size_volume", sentence, sizes, shared="max_unpool")

    def _size_rule(self, unpooled: Argument) -> Rule:
        sentence = f"{self.names} of {unpooled.name} must be outputSize."
        check = Check("plane", (unpooled.name,))
        return Rule(f"{unpooled.snake_name}_size", sentence, rules.reshaped(rules.wider, unpooled), check=check)

    def _index_range(self, index: Argument, unpooled: Argument) -> Rule:
        cells = prod(unpooled.case.shape[2:])
        return rules.index_range(f"{self.plane} of {unpooled.name}", index, 0, 1, 2, 3, 4, cells, 6, 7)

    # ---- a sample, and words ----

    def four_maxima(self, values: Iterable[float], *places: int) -> Sample:
        """Four values that go to these places of a plane of 4 x 4 cells."""
        pooled, unpooled = self.plane_of(1, 2, 2, values=values), self.plane_of(1, 4, 4)
        there = dict(zip(places, pooled.values or (), strict=True))
        changes = {"self": pooled, "indices": pooled.but(dtype="int64", values=places), self.result: unpooled}
        window = {"stride": self.cut(1, 2, 2)} if self.windowed else {}
        return self.sample(
            "four maxima return to where they were",
            {**changes, "outputSize": unpooled.shape[2:], **window},
            tuple(there.get(i, 0.0) for i in range(16)),
        )

    @property
    def _batch(self) -> str:
        return "N, and C if there is one" if self.lone_axis == "N" else "C, and N if there is one"

    def _doc(self, template: str, out_note: str) -> str:
        lone = f"(N, C, {self.names}), or ({self.lone_axis}, {self.names})"
        return document(
            self,
            template,
            shapes=f"{lone} with one plane per N" if self.lone_axis == "N" else lone,
            dtypes=_DTYPES_DOC.format(bool=" or bool" if "bool" in self.dtypes else ""),
            window=_WINDOW_DOC if self.windowed else "",
            undone=f", {self.cut(1, 1, 2)}, 0" if self.windowed else "",
            format=INDEX_FORMAT,
            out=OUT + out_note,
            raises=OUTSIDE,
        )


VOLUMES = MaxUnpool("DHW", lone_axis="N", result="outRef", windowed=True, contiguous=True)
IMAGES = MaxUnpool(
    "HW",
    lone_axis="C",
    dtypes=("float32", "float16", "int8", "uint8", "int16", "int32", "int64", "float64"),
    socs=FROM_910B,
)
