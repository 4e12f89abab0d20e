"""Example tensors and values for any spatial axes, written down once for D, H, W."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TypeVar

from acltwin.ops.spec import Argument, TensorCase

T = TypeVar("T")

HUGE = {1: (2**31,), 2: (2**16, 2**15), 3: (2**11, 2**10, 2**10)}
"""Planes with one cell more than int32 counts, by their number of axes."""

INTEGERS = ("uint8", "int8", "int16", "uint16", "int32", "int64", "bool")
"""Masks, labels and scans: what array functions take beyond the documents where cells are only copied or compared."""


@dataclass(frozen=True)
class Axes:
    """The spatial axes of an operator: ``"DHW"``, ``"HW"`` or ``"L"``."""

    axes: str

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
    def whole(self) -> str:
        """``plane``, or ``volume`` of three axes."""
        return "volume" if self.count == 3 else "plane"

    @property
    def place(self) -> str:
        """The index of a cell, from its coordinates: ``(d * H + h) * W + w``."""
        return {"DHW": "(d * H + h) * W + w", "HW": "h * W + w", "L": "l"}[self.axes]

    @property
    def orders(self) -> tuple[str, str]:
        """The orders of a tensor's axes, channels first and last."""
        return f"NC{self.axes}", f"N{self.axes}C"

    def shapes(self, lone: str) -> str:
        """``(N, C, H, W) or (C, H, W)``: what arrays may be, with the one batch axis that a smaller one has."""
        return f"(N, C, {self.names}) or ({lone}, {self.names})"

    @property
    def format_doc(self) -> str:
        """What data_format is to operators with indices."""
        return (
            f'data_format: order of the axes of all tensors, which are {2 + self.count}-D for ``"{self.orders[1]}"``. '
            f"Indices do not depend on it: cell {self.names.lower()} has the index ``{self.place}``."
        )

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
    def or_channels_last(self) -> str:
        """What stands behind the shape of channels-first tensors."""
        return f", or [N, *outputSize, C] in {self.orders[1]}" if self.count > 1 else ""

    def tensor(self, *dhw: int, dtype: str = "float32", batch: tuple[int, ...] = (1, 2)) -> TensorCase:
        return TensorCase(dtype, (*batch, *self.cut(*dhw)))

    def huge(self, *plane: int) -> TensorCase:
        """A tensor that is large by its shape only."""
        shape = (1, 1, *plane)
        return TensorCase("float32", shape, strides=(0,) * len(shape))


_ENTRY = re.compile(r" {4}[A-Za-z][\w, ]*: ")  # an argument and what it is: further lines hang


def wrapped(doc: str) -> str:
    """A docstring that was filled in from a template, each paragraph and argument filled again; examples stay."""
    text, mark, example = doc.partition(">>> ")
    return "\n".join(_filled(text.split("\n"))) + mark + example


def _filled(lines: list[str]) -> list[str]:
    filled: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if paragraph and (not line.strip() or _ENTRY.match(line)):
            indent = re.match(" *", paragraph[0])[0]  # type: ignore[index]
            hanging = indent + "    " * bool(_ENTRY.match(paragraph[0]))
            text = " ".join(part.strip() for part in paragraph)
            filled += textwrap.wrap(text, 115, initial_indent=indent, subsequent_indent=hanging, break_long_words=False)
            paragraph = []
        if line.strip():
            paragraph.append(line)
        else:
            filled.append("")
        if line in ("Args:", "Returns:", "Raises:"):
            filled.append(paragraph.pop())
    return filled[:-1]


def wider(tensor: TensorCase) -> TensorCase:
    """One cell more along the last axis."""
    return tensor.but(shape=(*tensor.shape[:-1], tensor.shape[-1] + 1))


def lower(tensor: TensorCase) -> TensorCase:
    """Two dimensions fewer: a rank that no operator with a batch takes."""
    return tensor.but(shape=tensor.shape[2:])


def unbatched(tensor: TensorCase) -> TensorCase:
    return tensor.but(shape=tensor.shape[1:])


def ints(name: str, doc: str, default: str | None = None) -> Argument:
    """One number for all axes, or one per axis."""
    return Argument(name, "int_array", doc, one_for_all=True, default=default)
