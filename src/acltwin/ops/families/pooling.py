"""What kinds of pooling share: windows of one size, their arguments and rules."""

from __future__ import annotations

from dataclasses import dataclass

from acltwin.ops.families import rules
from acltwin.ops.families.family import Family, ints
from acltwin.ops.spec import ACLNN, ARRAY, EVERYWHERE, Argument, Check, Judge, Rule, TensorCase, Value

HUGE = {1: (2**31,), 2: (2**16, 2**15), 3: (2**11, 2**10, 2**10)}
"""Planes with one cell more than int32 counts, by their number of axes."""
LONG = {1: (2**30,), 2: (2**30, 1), 3: (2**20, 2**10, 1)}

CEIL_MODE = Argument("ceilMode", "bool", "Whether the number of windows is rounded up.", False, default="False")
PASSED = "those of the forward pass, "


def window_doc(of: str = "", was: str = "is") -> str:
    """Of the arguments about windows, after their names."""
    return (
        f"{of}one number or ({{names}}). A stride of ``None`` or ``()`` means the kernel size.\n"
        f"    ceil_mode: whether the number of windows {was} rounded up."
    )


@dataclass(frozen=True)
class Pooling(Family):
    """In the example, windows have 2 cells along each axis."""

    lone_axis: str = "C"
    kernel: str = "kernelSize"
    stride: str = "stride"
    padding: str = "padding"

    @property
    def source(self) -> TensorCase:
        return self.tensor(2, 4, 4)

    @property
    def pooled(self) -> TensorCase:
        return self.tensor(1, 2, 2)

    @property
    def window_arguments(self) -> tuple[Argument, ...]:
        each, two, none = self.names, self.sizes(2), self.sizes(0)
        return (
            ints(self.kernel, f"Size of the window: one value for all axes or {each}.", two),
            ints(self.stride, f"Step of the window: none (the kernel size), one value, or {each}.", two, "None"),
            ints(self.padding, f"Padding on both sides: one value or {each}; at most half the kernel.", none, "0"),
        )

    @property
    def window_rules(self) -> tuple[Rule, ...]:
        one, wrong = f"({self.names}, or 1 for all axes", 5 - self.count
        half = f"{self.padding} must be at most half of {self.kernel} on each axis."
        return (
            rules.length(self.kernel, (1, self.count), f"{one})", (2,) * wrong),
            rules.positive(self.kernel, self.cut(2, 0, 2)),
            rules.length(self.stride, (0, 1, self.count), f"{one}, or none for the kernel size)", (2,) * wrong),
            rules.positive(self.stride, self.cut(2, 0, 2)),
            rules.length(self.padding, (1, self.count), f"{one})", (0,) * wrong),
            self.padding_negative,
            Rule("padding_half", half, {self.padding: self.cut(0, 3, 0)}, shared="pool"),
        )

    @property
    def padding_negative(self) -> Rule:
        sentence = f"No value of {self.padding} may be negative."
        return Rule("padding_negative", sentence, {self.padding: self.cut(0, -1, 0)}, shared="pool")

    def self_size(self, *tensors: Argument) -> Rule:
        """Of these, self and a gradient have its shape."""
        empty = {tensor.name: self.tensor(2, 0, 4) for tensor in tensors if tensor.case.shape == self.source.shape}
        check = Check("plane_filled", ("self",))
        return Rule("self_size", f"{self.names} of self must be above 0.", empty, check=check)

    def self_channels(self, *tensors: Argument) -> Rule:
        violation = rules.reshaped(rules.without_channels, *tensors)
        check = Check("channels_filled", ("self",))
        return Rule("self_channels", "C of self must be above 0; N may be 0.", violation, ACLNN, check=check)

    @property
    def deep_kernel(self) -> tuple[int, ...]:
        """Larger than self along the first axis."""
        return (self.source.shape[2] + 1, *self.sizes(2)[1:])

    def window_of(self, size: tuple[int, ...], step: int, padding: int | tuple[int, ...]) -> dict[str, Value | str]:
        padding = self.sizes(padding) if isinstance(padding, int) else padding
        return {self.kernel: size, self.stride: self.sizes(step), self.padding: padding}

    def window_fits(self, judges: tuple[Judge, ...] = EVERYWHERE) -> Rule:
        sentence = "At least one window must fit into self and its padding along each axis."
        return Rule("window_fits", sentence, {self.kernel: self.deep_kernel}, judges, shared="pool")

    def out_bytes(self, results: str, batch: int, plane: tuple[int, ...], window: dict[str, Value | str]) -> Rule:
        """``window`` makes the results longer than self."""
        violation = {"self": self.huge(*plane, batch=(1, batch)), **window}
        sentence = f"{results} must have fewer than 2^63 bytes{' each' if ' and ' in results else ''}."
        return Rule("out_bytes", sentence, violation, ARRAY, shared="pool")

    def out_shape(self, pooled: Argument, *alike: Argument) -> Rule:
        sentence = f"{pooled.name} must have self's N and C, and one cell for each window."
        return Rule("out_shape", sentence, rules.reshaped(rules.wider, pooled, *alike), shared="pool")
