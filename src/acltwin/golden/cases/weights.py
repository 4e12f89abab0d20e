"""Windows along each axis, and the documented rules of weighted sums: averages of windows here, resampling beside.

A table of weights also says how far a right kernel's weights may be off: it computes them in float32, in its own way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import facts, rounded
from acltwin.golden.cases.family import along, family_of, scale_names
from acltwin.golden.cases.products import UNIT, Table, is_power
from acltwin.golden.cases.resampling import Resampling
from acltwin.ops.spec import OpSpec
from acltwin.reference import FUNCTIONS


@dataclass(frozen=True)
class Window:
    """The windows of a pooling along each axis, with every decision about them open."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    behind: tuple[int, ...] = ()  # the padding there, where it may differ
    inward: bool = False  # windows that hang over the end are moved back into the plane
    adaptive: bool = False  # windows share the plane as evenly as they can, whatever else is said
    rounding: tuple[str, str] = ("floor", "ceil")  # adaptive: of where windows begin and end
    longer: int = 0  # adaptive: so many cells at the end of every window
    apart: bool = False  # adaptive: windows begin where the one before ends
    order: tuple[int, ...] = ()  # adaptive: which axis shares how an axis is divided

    def begins(self, counts: tuple[int, ...], plane: tuple[int, ...]) -> list[NDArray[np.int64]]:
        """The first cell of every window, along each axis."""
        if self.adaptive:
            begins = [self._shared(axis, 0, counts, plane) for axis in range(len(plane))]
            if self.apart:
                ends = self.ends(counts, plane)
                begins = [np.append(0, end[:-1]) for end in ends]
            return [np.minimum(begin, size - 1) for begin, size in zip(begins, plane, strict=True)]
        found = [np.arange(n) * s - p for n, s, p in zip(counts, self.stride, self.padding, strict=True)]
        if self.inward:
            reach = [d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True)]
            lasts = [max(cells - length, 0) for cells, length in zip(plane, reach, strict=True)]
            found = [np.minimum(begin, last) for begin, last in zip(found, lasts, strict=True)]
        return found

    def ends(self, counts: tuple[int, ...], plane: tuple[int, ...]) -> list[NDArray[np.int64]]:
        """Behind the last cell of every window that is in the plane."""
        found: list[NDArray[np.int64]] = []
        for axis, (count, size) in enumerate(zip(counts, plane, strict=True)):
            if not self.adaptive:
                found.append(np.full(count, size))
                continue
            least = self._shared(axis, 0, counts, plane) + 1
            found.append(np.minimum(np.maximum(self._shared(axis, 1, counts, plane) + self.longer, least), size))
        return found

    def _shared(self, axis: int, side: int, counts: tuple[int, ...], plane: tuple[int, ...]) -> NDArray[np.int64]:
        """Where windows that share an axis begin (0) or end (1)."""
        other = self.order[axis] if self.order else axis
        place = (np.arange(counts[axis]) + side) * plane[other]
        how, count = self.rounding[side], counts[other]
        rest = {"floor": 0, "ceil": count - 1, "nearest": count // 2}[how]
        return np.asarray((place + rest) // count)

    def but(self, **changes: Any) -> Window:
        return replace(self, **changes)


def window_count(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool, behind: int | None = None
) -> int:
    """How many windows an axis has. The last one begins inside the cells or the padding before them."""
    span = size + padding + (padding if behind is None else behind) - dilation * (kernel - 1) - 1
    count = (-(-span // stride) if ceil_mode else span // stride) + 1
    return count - 1 if (count - 1) * stride >= size + padding else count


def adaptive_ends(cells: int, windows: int) -> NDArray[np.int64]:
    """Where the windows that share an axis begin, and the cells behind their last ones."""
    number = np.arange(windows)
    return np.stack((number * cells // windows, -(-(number + 1) * cells // windows)))


def covering(ends: NDArray[np.int64], cells: int) -> int:
    """The most windows that one cell is in, of those that begin and end in this order."""
    place = np.arange(cells)
    return int((np.searchsorted(ends[0], place, "right") - np.searchsorted(ends[1], place, "right")).max(initial=1))


@dataclass(frozen=True)
class Averaging:
    """The windows of average pooling, and what their sums are divided by. ``along``: deviations hold there alone."""

    window: Window
    gradient: bool
    ceil_mode: bool = False
    count: Literal["padding", "cells", "kernel", "none", "gradients"] = "padding"
    divisor: int = 0  # 0: the number of cells
    reciprocal: str = ""  # the dtype of 1 / divisor
    lost: Literal["", "ceil", "overhanging"] = ""  # windows that are left out
    plain: Averaging | None = None  # the documented rule
    torch: bool = False
    along: tuple[int, ...] | None = None

    def tables(self, source: Sequence[int], result: Sequence[int]) -> list[Table]:
        counts, plane = (tuple(source), tuple(result)) if self.gradient else (tuple(result), tuple(source))
        found = [self._table(axis, counts, plane) for axis in range(len(plane))]
        if self.along is not None and self.plain is not None:
            plain = self.plain.tables(source, result)
            return [one if axis in self.along else plain[axis] for axis, one in enumerate(found)]
        return found

    def _table(self, axis: int, counts: tuple[int, ...], plane: tuple[int, ...]) -> Table:
        window, n = self.window, plane[axis]
        begins, ends = window.begins(counts, plane)[axis], window.ends(counts, plane)[axis]
        last = begins + window.kernel[axis]
        if not window.adaptive:
            ends = np.minimum(last, n + window.padding[axis])
        place = np.arange(n)
        sums = ((place >= begins[:, None]) & (place < ends[:, None])).astype(np.float64)
        if self.lost == "ceil":
            kept = (n + 2 * window.padding[axis] - window.kernel[axis]) // window.stride[axis] + 1
            sums[kept:] = 0.0
        if self.lost == "overhanging":
            sums[last > n] = 0.0
        cells = np.maximum(sums.sum(1), 1.0)
        sizes = {"padding": ends - begins, "kernel": last - begins, "none": np.ones(len(cells))}.get(self.count, cells)
        sizes = np.maximum(cells if window.adaptive and self.count == "padding" else sizes, 1.0).astype(np.float64)
        if self.divisor:
            sizes = np.full(len(cells), float(self.divisor) if axis == 0 else 1.0)
        shares = 1.0 / sizes
        if self.reciprocal:
            shares = rounded(shares, facts(self.reciprocal).dtype).astype(np.float64)
        weights = sums * shares[:, None]
        exact = np.array([is_power(size) for size in sizes])
        doubt = np.where(exact[:, None], 0.0, 2 * UNIT * np.abs(weights))
        table = Table(weights, doubt, weights != 0)
        if self.count == "gradients":  # the mean of what arrives
            table = replace(table, weights=sums / np.maximum(sums.sum(0), 1.0), doubt=2 * UNIT * sums)
        return table.transposed if self.gradient else table


# ---- the documented rules ----

Rule = Averaging | Resampling


def documented_weights(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    source: Sequence[int],
    result: Sequence[int],
    dtype: str,
    map_rule: str = "device",
) -> Rule:
    weights = family_of(spec).weights
    assert weights is not None
    return weights(spec, arguments, source, result, dtype, map_rule)


def resampling(
    spec: OpSpec, arguments: Mapping[str, Any], source: Sequence[int], result: Sequence[int], dtype: str, map_rule: str
) -> Resampling:
    described: Any = FUNCTIONS[spec.name]
    kind, policy = described.args
    rule = Resampling(
        cubic=kind.startswith("cubic"),
        antialias=spec.antialias,
        gradient=spec.is_gradient,
        align=bool(arguments.get("align_corners", False)),
        policy=policy,
        scales=tuple(float(arguments.get(name) or 0.0) for name in scale_names(spec)),
        last=str(arguments.get("data_format", "")).endswith("C") and not spec.is_gradient,
        double=map_rule == "torch" and dtype == "float64",
        torch=map_rule == "torch",
    )
    return replace(rule, plain=rule)


def window_argument(spec: OpSpec, name: str) -> str:
    """What an operator calls it: some have "strides" and "paddings"."""
    return next(one.python_name for one in spec.inputs if one.python_name in (name, f"{name}s"))


def window_counts(spec: OpSpec, plane: Sequence[int], arguments: Mapping[str, Any]) -> tuple[int, ...]:
    """How many windows of average pooling there are along each axis."""
    rule = averaging(spec, arguments, plane, plane)
    zipped = zip(plane, rule.window.kernel, rule.window.stride, rule.window.padding, strict=True)
    return tuple(window_count(n, k, s, p, 1, rule.ceil_mode) for n, k, s, p in zipped)


def averaging(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    source: Sequence[int],
    result: Sequence[int],
    dtype: str = "",
    map_rule: str = "",
) -> Averaging:
    counts, plane = (source, result) if spec.is_gradient else (result, source)
    ones = (1,) * len(spec.axes)
    if "kernel_size" not in arguments:
        longest = tuple(-(-n // m) for n, m in zip(plane, counts, strict=True))
        steps = tuple(max(n // m, 1) for n, m in zip(plane, counts, strict=True))
        rule = Averaging(Window(longest, steps, (0,) * len(ones), ones, adaptive=True), spec.is_gradient)
        return replace(rule, plain=rule)

    def numbers(name: str, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        value = arguments.get(window_argument(spec, name))
        return along(value or otherwise, len(ones))

    kernel = numbers("kernel_size", ())
    padding = arguments.get(window_argument(spec, "padding"), 0)
    rule = Averaging(
        Window(kernel, numbers("stride", kernel), numbers("padding", (0,)) if padding else (0,) * len(ones), ones),
        spec.is_gradient,
        bool(arguments.get("ceil_mode", False)),
        "padding" if arguments.get("count_include_pad", True) else "cells",
        int(arguments.get("divisor_override") or 0),
    )
    return replace(rule, plain=rule)
