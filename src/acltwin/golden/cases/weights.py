"""The rules of weighted sums, as documented: averages of windows here, resampling beside.

A table of weights also says how far a right kernel's weights may be off: it computes them in float32, in its own way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from acltwin.golden.cases.dtypes import facts, rounded
from acltwin.golden.cases.family import along, family_of, scale_names
from acltwin.golden.cases.products import UNIT, Table, is_power
from acltwin.golden.cases.resampling import Resampling
from acltwin.golden.cases.windows import Window, window_count
from acltwin.ops.spec import OpSpec
from acltwin.reference import FUNCTIONS


@dataclass(frozen=True)
class Averaging:
    """The windows of average pooling, and what their sums are divided by. ``along``: deviations hold there alone."""

    window: Window
    gradient: bool
    ceil_mode: bool = False
    count: Literal["padding", "cells", "before", "behind", "kernel", "stride", "ratio", "none", "gradients"] = "padding"
    divisor: int = 0  # 0: the number of cells
    both: bool = False  # the divisor and that number
    reciprocal: str = ""  # the dtype of 1 / divisor; "dtype": that of the tensor
    dtype: str = ""  # of the tensor
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
        count = "cells" if window.adaptive and self.count == "padding" else self.count
        sizes = {
            "padding": ends - begins,
            "before": np.minimum(ends, n) - begins,
            "behind": ends - np.maximum(begins, 0),
            "kernel": last - begins,
            "stride": np.full(len(cells), window.stride[axis]),
            "ratio": np.full(len(cells), n / counts[axis]),
            "none": np.ones(len(cells)),
        }.get(count, cells)
        sizes = np.where(sizes > 0, sizes, 1.0)
        if self.divisor:
            sizes = (sizes if self.both else 1.0) * np.full(len(cells), float(self.divisor) if axis == 0 else 1.0)
        shares = 1.0 / sizes
        if self.reciprocal:
            kind = facts(self.dtype if self.reciprocal == "dtype" else self.reciprocal)
            shares = rounded(shares, kind.dtype).astype(np.float64) if kind.bits <= 11 else shares
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
        dtype=dtype,
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
        rule = Averaging(Window(longest, steps, (0,) * len(ones), ones, adaptive=True), spec.is_gradient, dtype=dtype)
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
        dtype=dtype,
    )
    return replace(rule, plain=rule)
