"""What all families declare alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from acltwin.ops.families import rules
from acltwin.ops.spec import FLOATS, SOCS, Argument, CallCase, Check, OpSpec, Rule, Sample, TensorCase, Value

T = TypeVar("T")
_HEADERS = {r"^avg_pool": "avgpool", r"(nearest|linear|bicubic)(\dd)(?!_aa)": r"\1_\2", "_mask": "_indices"}
"""How the names of headers differ from those of operators."""


def _parts_of(c_name: str) -> tuple[str, bool]:
    """The array function's name of the forward pass, and whether this is its gradient.

    ``aclnnUpsampleNearest2dV2`` -> ``upsample_nearest2d``
    """
    parts = re.fullmatch("(.+?)(_backward|_grad)?(_v2)?", _words_of(c_name))
    assert parts
    return parts[1], parts[2] is not None


def _words_of(c_name: str) -> str:
    """``aclnnUpsampleBicubic2dAAGrad`` -> ``upsample_bicubic2d_aa_grad``."""
    return re.sub("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", c_name.removeprefix("aclnn")).lower()


def _header_of(c_name: str) -> str:
    name = _words_of(c_name)
    for words, others in _HEADERS.items():
        name = re.sub(words, others, name)
    return f"aclnn_{name}.h"


def ints(name: str, doc: str, example: Value, default: str | None = None, **fields: Any) -> Argument:
    """One number for all axes, or one per axis."""
    return Argument(name, "int_array", doc, example, one_for_all=True, default=default, **fields)


@dataclass(frozen=True)
class Family:
    """The operators of some axes, and what is peculiar to them. What depends on axes is written once for D, H, W."""

    axes: str  # the spatial ones: "DHW", "HW" or "L"
    dtypes: tuple[str, ...] = FLOATS
    socs: tuple[str, ...] = SOCS
    device_socs: tuple[str, ...] = ()
    formats: tuple[str, ...] = ("ND",)
    lacking: tuple[tuple[str, str], ...] = ()  # (SoC, dtype)
    null_codes: tuple[tuple[str, int], ...] = ()  # (argument, status) where a null pointer is not 161001
    lone_axis: str = ""  # N or C: the batch axis of a tensor with only one; none: tensors always have both

    example_dtype: ClassVar[str] = "float32"

    @property
    def count(self) -> int:
        return len(self.axes)

    @property
    def names(self) -> str:
        """``D, H, W``."""
        return ", ".join(self.axes)

    @property
    def plane(self) -> str:
        """``D*H*W``."""
        return "*".join(self.axes)

    @property
    def orders(self) -> tuple[str, str]:
        """The orders of a tensor's axes, channels first and last."""
        return f"NC{self.axes}", f"N{self.axes}C"

    def cut(self, *dhw: T) -> tuple[T, ...]:
        """Of values along D, H, W those of these axes."""
        return dhw[-self.count :]

    def sizes(self, size: int) -> tuple[int, ...]:
        return (size,) * self.count

    def with_zero(self, size: int) -> tuple[int, ...]:
        """These sizes, but one is 0."""
        return (size,) * (self.count - 2) + ((0, size) if self.count > 1 else (0,))

    def wrong_length(self, size: int) -> tuple[int, ...]:
        return self.sizes(size)[1:] or (size, size)

    @property
    def beyond_bytes(self) -> tuple[int, ...]:
        """Sizes of a tensor that no number of bytes describes."""
        return (2,) * (self.count - 2) + ((2**40, 2**40) if self.count > 1 else (2**62,))

    @property
    def traits(self) -> dict[str, Any]:
        """Fields of all operators of the family."""
        return {}

    @property
    def example_format(self) -> str:
        return self.formats[0]

    def tensor(self, *dhw: int, batch: tuple[int, ...] = (1, 2), values: Iterable[float] | None = None) -> TensorCase:
        """One of an example call."""
        cells = None if values is None else tuple(map(float, values))
        return TensorCase(self.example_dtype, (*batch, *self.cut(*dhw)), self.example_format, values=cells)

    def plane_of(self, *dhw: int, values: Iterable[float] | None = None) -> TensorCase:
        """A tensor with N = C = 1."""
        return self.tensor(*dhw, batch=(1, 1), values=values)

    def huge(self, *plane: int, batch: tuple[int, int] = (1, 1)) -> TensorCase:
        """A tensor that is large by its shape only."""
        shape = (*batch, *plane)
        return TensorCase(self.example_dtype, shape, self.example_format, strides=(0,) * len(shape))

    @property
    def shapes(self) -> str:
        """``(N, C, H, W) or (C, H, W)``."""
        return f"(N, C, {self.names}) or ({self.lone_axis}, {self.names})"

    def values(
        self, name: str, doc: str, example: TensorCase, beyond: tuple[str, ...] = ("float64",), **fields: Any
    ) -> Argument:
        """A tensor of values; ``beyond`` are dtypes that only arrays may have."""
        if self.lone_axis:
            doc = f"{doc}: ({self.lone_axis}, {self.names}) or (N, C, {self.names})."
        return Argument(
            name,
            "tensor",
            doc,
            example,
            dtypes=self.dtypes,
            array_dtypes=tuple(dtype for dtype in beyond if dtype not in self.dtypes),
            formats=self.formats,
            ranks=(1 + self.count, 2 + self.count) if self.lone_axis else (2 + self.count,),
            lacking=self.lacking,
            **fields,
        )

    @property
    def output_size_bytes(self) -> Rule:
        sentence = "A tensor of self's N and C and of outputSize must have fewer than 2^63 bytes."
        check = Check("result_bytes", ("outputSize",))
        return Rule("output_size_bytes", sentence, {"outputSize": self.beyond_bytes}, check=check)

    @staticmethod
    def sample(title: str, changes: Mapping[str, Any], *expected: tuple[float, ...], tolerance: float = 0.0) -> Sample:
        """By what differs from the operator's small legal call; ``expected`` are its results."""
        return Sample(title, CallCase(changes), expected, tolerance)

    def declare(
        self,
        c_name: str,
        arguments: tuple[Argument, ...],
        own_rules: tuple[Rule, ...],
        samples: Iterable[Sample],
        **fields: Any,
    ) -> OpSpec:
        """An operator, whose own rules come after those that all have.

        Its names follow from that in C, and stand for ``{name}`` in the fields.
        """
        forward, is_gradient = _parts_of(c_name)
        name = f"{forward}_backward" if is_gradient else forward
        named = {key: each.replace("{name}", name) if isinstance(each, str) else each for key, each in fields.items()}
        valid = CallCase({argument.name: argument.example for argument in arguments})
        return OpSpec(
            name=name,
            c_name=c_name,
            header=_header_of(c_name),
            arguments=arguments,
            valid=valid,
            rules=rules.first(arguments, self.socs, self.device_socs, dict(self.null_codes)) + own_rules,
            samples=tuple(replace(each, call=valid.but(each.call.arguments)) for each in samples),
            socs=self.socs,
            device_socs=self.device_socs,
            axes=self.axes,
            lone_axis=self.lone_axis,
            is_gradient=is_gradient,
            **{"partner": forward if is_gradient else f"{forward}_backward", **self.traits, **named},
        )
