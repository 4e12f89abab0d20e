"""Max unpooling and its gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from acltwin.ops._rules import (
    contiguous_rule,
    dtype_rule,
    index_range_rule,
    length_rule,
    null_rules,
    positive_rule,
    rank_rule,
    same_dtype_rule,
    same_rank_rule,
    same_shape_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import Axes, ints, lower, unbatched, wider, wrapped
from acltwin.ops.spec import (
    SOCS,
    Argument,
    CallCase,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
    Value,
    snake_case,
)

_WINDOW_DOC = """
    stride, padding: those of the pooling that is undone. They are checked; the result does not depend on them."""

_DTYPES_DOC = (
    """float32, float16, bfloat16, float64, int8, uint8, int16, int32, int64{bool}: elements are copied as they are."""
)

FORWARD_DOC = """{count}-D max unpooling.

Each element of ``input`` goes to the place that ``indices`` names in a larger plane of zeros. Where two elements
name the same place, the later one stays.

Args:
    input: the pooled tensor, {shapes}. Any of {dtypes}
    indices: int64 or int32, shaped like ``input``: places in the flattened {plane} plane of the result.
    output_size: {names} of the result.{window}
    {format}
    out: where to write the result, instead of a new array.{contiguous}

Returns:
    The unpooled tensor, an array of the same kind and dtype as ``input``.

Raises:
    IndexError: an index lies outside its plane; the message names its position and value.

>>> import numpy as np
>>> pooled = np.array([5.0, 7.0], np.float32).reshape({ones}, 2)
>>> indices = np.array([1, 2]).reshape(pooled.shape)
>>> {name}(pooled, indices, {size}{undone}).ravel().tolist()
[0.0, 5.0, 7.0, 0.0]
"""

GRADIENT_DOC = """Gradient of {count}-D max unpooling.

Unpooling puts each element of its input at the place that ``indices`` names in a larger plane of zeros. Its
gradient fetches: element ``j`` of the result is ``grad_output`` at place ``indices[j]`` of the same plane.

Args:
    grad_output: gradient of the unpooled tensor, {shapes}. Any of {dtypes}
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: int64 or int32, shaped like ``input``: places in the flattened {plane} plane of ``grad_output``.
    output_size: {names} of ``grad_output``.{window}
    {format}
    out: where to write the result, instead of a new array.{cast}

Returns:
    The gradient of ``input``, an array of the same kind, shape and dtype.

Raises:
    IndexError: an index lies outside its plane; the message names its position and value.

>>> import numpy as np
>>> grad_output = np.arange(4, dtype=np.float32).reshape({ones}, 4)
>>> pooled = np.zeros(({ones}, 2), np.float32)
>>> indices = np.array([3, 1]).reshape(pooled.shape)
>>> {name}(grad_output, pooled, indices, {size}{undone}).ravel().tolist()
[3.0, 1.0]
"""


@dataclass(frozen=True)
class MaxUnpool(Axes):
    """The two operators of some axes."""

    lone_axis: str
    dtypes: tuple[str, ...]
    array_dtypes: tuple[str, ...]
    socs: tuple[str, ...] = SOCS
    indices: tuple[str, ...] = ("int32", "int64")
    result: str = "out"
    windowed: bool = False  # the stride and the padding of the pooling are arguments
    contiguous: bool = False  # the result must be
    casts: bool = False  # the result may have another dtype

    @property
    def pooled(self) -> TensorCase:
        return self.tensor(1, 2, 2)

    @property
    def places(self) -> TensorCase:
        return self.tensor(1, 2, 2, dtype="int64")

    @property
    def unpooled(self) -> TensorCase:
        return self.tensor(2, 4, 4)

    # ---- arguments ----

    def _tensor_argument(self, name: str, doc: str) -> Argument:
        return Argument(
            name,
            "tensor",
            f"{doc}: ({self.lone_axis}, {self.names}) or (N, C, {self.names}).",
            dtypes=self.dtypes,
            array_dtypes=self.array_dtypes,
            formats=("ND", f"NC{self.axes}"),
            ranks=(1 + self.count, 2 + self.count),
        )

    def _index(self, like: Argument, doc: str) -> Argument:
        others = tuple(dtype for dtype in ("int32", "int64") if dtype not in self.indices)
        return replace(like, name="indices", doc=doc, dtypes=self.indices, array_dtypes=others, holds="indices")

    @property
    def _window_arguments(self) -> tuple[Argument, ...]:
        if not self.windowed:
            return ()
        return (
            ints("stride", "Stride of the pooling that is undone; checked, not needed.", "None"),
            ints("padding", "Padding of the pooling that is undone; its values are free.", "0"),
        )

    def _window(self, **given: tuple[int, ...]) -> dict[str, Value]:
        usual: dict[str, Value] = {"stride": self.cut(2, 2, 2), "padding": self.cut(0, 0, 0)}
        return {**usual, **given} if self.windowed else {}

    def _result(self, like: Argument, doc: str) -> Argument:
        note = " It must be contiguous." if self.contiguous else ""
        return replace(like, name=self.result, doc=f"{doc}: the result.{note}", role="output")

    # ---- rules ----

    def _contiguous_rules(self, tensor: TensorCase, strides: tuple[int, ...]) -> tuple[Rule, ...]:
        return (contiguous_rule(self.result, tensor.but(strides=strides)),) if self.contiguous else ()

    @property
    def _size_rules(self) -> tuple[Rule, ...]:
        window: tuple[Rule, ...] = ()
        if self.windowed:
            window = (
                length_rule("stride", (self.count,), f"({self.names})", (2, 2), array_counts=(0, 1)),
                length_rule("padding", (self.count,), f"({self.names})", (0, 0), array_counts=(1,)),
                positive_rule("stride", self.cut(2, 0, 2)),
            )
        return (*window, positive_rule("outputSize", self.cut(2, 0, 4)))

    def _self_size(self, **others: TensorCase) -> Rule:
        tensors = {"self": self.pooled, "indices": self.places, **others}
        violation = {name: tensor.but(shape=(1, 0, *tensor.shape[2:])) for name, tensor in tensors.items()}
        return Rule("self_size", "Every dimension of self but the first must be above 0.", violation)

    def _volume_rule(self, name: str) -> Rule:
        few = self.tensor(1, 1, 2)
        sentence = f"outputSize must have at least as many cells as the {self.plane} of self."
        return Rule("output_size_volume", sentence, {name: few, "outputSize": few.shape[2:]})

    def _index_range(self, owner: str) -> Rule:
        cells = 2 ** (2 * self.count - 1) if self.count == 3 else 16
        values = (0, 1, 2, 3, 4, cells, 6, 7)
        return index_range_rule(f"{self.plane} of {owner}", self.places.but(values=values))

    # ---- the two operators ----

    def forward(self, name: str, c_name: str, partner: str, aten: str, sample: Sample) -> OpSpec:
        pooled, places, unpooled = self.pooled, self.places, self.unpooled
        source_argument = self._tensor_argument("self", "The pooled tensor")
        index = self._index(
            source_argument, f"Where each element of self goes in the flattened {self.plane} plane of {self.result}."
        )
        result = self._result(source_argument, "The unpooled tensor")
        size = Argument("outputSize", "int_array", f"{self.names} of {self.result}.")
        arguments = (source_argument, index, size, *self._window_arguments, result)
        prefix = snake_case(self.result)
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("self", pooled),
            *self._contiguous_rules(unpooled, (64, 32, 16, 1, 4)),
            dtype_rule(source_argument, pooled.but(dtype="uint16")),
            same_dtype_rule(self.result, "self", unpooled.but(dtype="float16")),
            dtype_rule(index, places.but(dtype="int16")),
            rank_rule(source_argument, lower(pooled)),
            same_rank_rule("indices", "self", unbatched(places)),
            same_rank_rule(self.result, "self", unbatched(unpooled)),
            same_shape_rule("indices", "self", wider(places)),
            self._self_size(**{self.result: unpooled}),
            length_rule("outputSize", (self.count,), f"({self.names} of the result)", self.cut(2, 4, 4)[1:]),
            *self._size_rules,
            self._volume_rule(self.result),
            Rule(
                "output_size_bytes",
                "A tensor of self's N and C and of outputSize must have fewer than 2^63 bytes.",
                {"outputSize": self.cut(2, 2**40, 2**40)},
            ),
            Rule(
                f"{prefix}_size", f"{self.names} of {self.result} must be outputSize.", {self.result: wider(unpooled)}
            ),
            Rule(
                f"{prefix}_batch",
                f"{self.result} must have self's {self._batch}.",
                {self.result: unpooled.but(shape=(1, 3, *unpooled.shape[2:]))},
            ),
            self._index_range(self.result),
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=f"aclnn_{name}.h",
            summary=f"{self.count}-D max unpooling: each element goes to the place its index names in a plane of "
            "zeros.",
            formula=f"{self.result} = 0, then {self.result}[n,c,indices[n,c,j]] = self[n,c,j] for ascending j",
            arguments=arguments,
            socs=self.socs,
            valid=CallCase(
                {
                    "self": pooled,
                    "indices": places,
                    "outputSize": self.cut(2, 4, 4),
                    **self._window(),
                    self.result: unpooled,
                }
            ),
            rules=rules,
            samples=(sample,),
            partner=partner,
            is_gradient=False,
            native="max_unpool",
            aten=aten,
            doc=self._doc(FORWARD_DOC, name),
            **self._traits,
        )

    def gradient(self, name: str, c_name: str, partner: str, sample: Sample) -> OpSpec:
        pooled, places, unpooled = self.pooled, self.places, self.unpooled
        grad = self._tensor_argument("gradOutput", "Gradient of the unpooled tensor")
        source_argument = replace(
            grad,
            name="self",
            doc="Input of the forward pass; its shape and dtype count, its values are not read.",
            holds="shape",
        )
        index = self._index(grad, f"Where each element of self went in the flattened {self.plane} plane of gradOutput.")
        result = self._result(grad, "Gradient of self")
        size = Argument("outputSize", "int_array", f"{self.names} of gradOutput.")
        arguments = (grad, source_argument, index, size, *self._window_arguments, result)
        cast = Rule(
            "out_cast",
            "out must have a dtype that gradOutput's can be cast to: a float if that is one, and bool only for bool.",
            {"out": pooled.but(dtype="int32")},
            raises=TypeError,
        )
        rules = (
            *null_rules(arguments),
            *soc_rule(self.socs),
            tensor_shape_rule("gradOutput", unpooled),
            *self._contiguous_rules(pooled, (8, 4, 4, 1, 2)),
            dtype_rule(grad, unpooled.but(dtype="uint16")),
            same_dtype_rule("self", "gradOutput", pooled.but(dtype="float16")),
            *(
                (dtype_rule(result, pooled.but(dtype="uint16")), cast)
                if self.casts
                else (same_dtype_rule("out", "gradOutput", pooled.but(dtype="float16")),)
            ),
            dtype_rule(index, places.but(dtype="int16")),
            rank_rule(source_argument, lower(pooled)),
            same_rank_rule("indices", "self", unbatched(places)),
            same_rank_rule("out", "self", unbatched(pooled)),
            same_shape_rule("indices", "self", wider(places)),
            same_shape_rule("out", "self", wider(pooled)),
            self._self_size(gradOutput=unpooled, out=pooled),
            Rule(
                "output_size_length",
                f"outputSize must have {self.count} values ({self.names} of gradOutput).",
                {"outputSize": self.cut(2, 4, 4)[1:]},
            ),
            *self._size_rules,
            *([self._volume_rule("gradOutput")] if self.windowed else []),
            same_rank_rule("gradOutput", "self", unbatched(unpooled)),
            Rule(
                "grad_output_size",
                f"{self.names} of gradOutput must be outputSize.",
                {"gradOutput": wider(unpooled)},
            ),
            Rule(
                "grad_output_batch",
                f"gradOutput must have self's {self._batch}.",
                {"gradOutput": unpooled.but(shape=(1, 3, *unpooled.shape[2:]))},
            ),
            self._index_range("gradOutput"),
        )
        return OpSpec(
            name=name,
            c_name=c_name,
            header=f"aclnn_{name}.h",
            summary=f"Gradient of {self.count}-D max unpooling: each element fetches the gradient from the place its "
            "index names.",
            formula=f"out[n,c,j] = gradOutput[n,c,indices[n,c,j]] on the flattened {self.plane} axis of each plane",
            arguments=arguments,
            socs=self.socs,
            valid=CallCase(
                {
                    "gradOutput": unpooled,
                    "self": pooled,
                    "indices": places,
                    "outputSize": self.cut(2, 4, 4),
                    **self._window(),
                    "out": pooled,
                }
            ),
            rules=rules,
            samples=(sample,),
            partner=partner,
            is_gradient=True,
            native="max_unpool_backward",
            doc=self._doc(GRADIENT_DOC, name),
            **self._traits,
        )

    # ---- what both share ----

    @property
    def _batch(self) -> str:
        return "N, and C if there is one" if self.lone_axis == "N" else "C, and N if there is one"

    @property
    def _traits(self) -> dict[str, Any]:
        return {"family": "unpool", "axes": self.axes, "lone_axis": self.lone_axis, "channels_last_arrays": True}

    def _doc(self, template: str, name: str) -> str:
        lone = "one plane per N" if self.lone_axis == "N" else ""
        shapes = f"(N, C, {self.names}), or ({self.lone_axis}, {self.names})" + (f" with {lone}" if lone else "")
        doc = template.format(
            name=name,
            count=self.count,
            shapes=shapes,
            dtypes=_DTYPES_DOC.format(bool=" or bool" if "bool" in self.dtypes else ""),
            plane=self.plane,
            names=self.names,
            window=_WINDOW_DOC if self.windowed else "",
            undone=f", {self.cut(1, 1, 2)}, 0" if self.windowed else "",
            format=self.format_doc,
            contiguous=" It must be contiguous." if self.contiguous else "",
            cast=" It may have another dtype, to which elements are converted." if self.casts else "",
            ones=", ".join(["1"] * (1 + self.count)),
            size=self.cut(1, 1, 4),
        )
        return wrapped(doc)


_DTYPES = ("float32", "float16", "float64", "int8", "uint8", "int16", "int32", "int64")
VOLUMES = MaxUnpool("DHW", "N", _DTYPES, ("bfloat16",), result="outRef", windowed=True, contiguous=True)
IMAGES = MaxUnpool(
    "HW",
    "C",
    ("float32", "float16", "int8", "uint8", "int16", "int32", "int64", "float64"),
    ("bfloat16",),
    socs=("Ascend950", "Ascend910_93", "Ascend910B"),
)
