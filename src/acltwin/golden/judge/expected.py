"""What a right result is, from the twin in float64: the sums, and what an error bound needs to know of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import acltwin
from acltwin.golden.cases.dtypes import BLOCK, Array, is_channels_last, name_of, widened
from acltwin.golden.cases.family import adds, along, flowing_name, looks_at_dtype, weighs
from acltwin.golden.cases.masks import given_indices, without_mask
from acltwin.golden.cases.products import Table, Weighing
from acltwin.golden.cases.weights import documented_weights, window_counts
from acltwin.ops import OPERATORS, OpSpec

_FAR_FROM_OVERFLOW = 2.0**-64


class Expected:
    """The documented result of one call.

    ``value`` is s: float64 for floats (not yet rounded to the result's dtype), the dtype itself for integers.
    ``magnitude`` is A, the sum of the absolute values; ``count`` is n, the number of terms; both are computed when they
    are first asked for. ``quantum`` is q, the largest power of two that divides every finite source of the plane,
    shaped to be broadcast against ``value``. ``indices`` are those of an operator that finds them, else None.
    """

    def __init__(
        self,
        value: Array,
        dtype: str,
        quantum: NDArray[np.float64],
        peak: NDArray[np.float64],
        terms: int,
        magnitude: Callable[[], Array],
        count: Callable[[], Array],
        indices: Array | None = None,
        order_matters: Callable[[float], NDArray[np.bool_]] | None = None,
        errors: Callable[[float], NDArray[np.float64]] | None = None,
    ) -> None:
        self.value = value
        self.dtype = dtype
        self.quantum = quantum
        self.indices = indices
        self.errors = errors  # E of a weighted sum, for the error of one addition; None: every weight is 1
        self._peak = peak  # the largest finite magnitude of a plane's sources
        self._terms = terms  # no cell adds more
        self._magnitude = magnitude
        self._count = count
        self._order_matters = order_matters

    @cached_property
    def magnitude(self) -> Array:
        return self._magnitude()

    @cached_property
    def count(self) -> Array:
        return self._count()

    def is_exact(self, unit: float) -> bool:
        """Whether every partial sum of every cell is exact; said from the data alone, so perhaps too seldom."""
        with np.errstate(over="ignore"):
            return self._terms <= 1 or bool((self._peak * self._terms <= self.quantum / unit).all())

    def may_overflow(self, largest: float) -> bool:
        """Whether some partial sum of finite values may be beyond ``largest``; perhaps said too often."""
        return self.errors is not None or (self._terms > 1 and bool((self._peak > largest / self._terms).any()))

    def order_matters(self, largest: float) -> NDArray[np.bool_]:
        """Where another order of the additions may overflow on the way, or may not."""
        if self._order_matters is not None:
            return self._order_matters(largest)
        return np.asarray((self.magnitude > largest) & (np.abs(self.value) < self.magnitude) & np.isfinite(self.value))


def order_matters(sums: Callable[[Array], Array], values: Array, largest: float) -> NDArray[np.bool_]:
    """For each of these sums, whether partial sums beyond ``largest`` can change what comes out.

    Finite values of both signs overflow in some orders only. An infinity stays, unless the others overflow to the
    opposite one.
    """
    finite = np.where(np.isfinite(values), values, 0.0) * _FAR_FROM_OVERFLOW
    limit = largest * _FAR_FROM_OVERFLOW
    above, below = sums(np.maximum(finite, 0.0)), sums(np.maximum(-finite, 0.0))
    special = sums(np.where(np.isfinite(values), 0.0, values))
    either = (above > 0) & (below > 0) & (above + below > limit)
    return np.where(special == 0, either, np.where(special > 0, below > limit, (special < 0) & (above > limit)))


def expect(
    operator: str,
    tensors: Mapping[str, Array],
    arguments: Mapping[str, object],
    map_rule: str = "device",
    terms: int | None = None,
) -> Expected:
    """The documented result of ``acltwin.<operator>(**tensors, **arguments)``, in float64.

    ``terms`` is how many values a cell may add, if that is known.
    """
    tensors = given_indices(OPERATORS[operator], tensors, arguments)
    spec = without_mask(OPERATORS[operator])
    operator = spec.name
    flowing = flowing_name(spec)
    dtype = name_of(tensors[flowing].dtype)
    options = {**arguments, **({"rule": map_rule} if spec.has_map_rule else {})}
    wide = {
        argument.python_name: tensors[argument.python_name]
        if argument.holds == "indices" or looks_at_dtype(spec)
        else widened(tensors[argument.python_name])
        for argument in spec.inputs
        if argument.kind == "tensor"
    }

    def run(values: Array) -> Any:
        return twin(operator, {**wide, flowing: values}, options)

    values = wide[flowing]
    if weighs(spec):
        return _weighed(operator, wide, flowing, arguments, dtype, map_rule)
    returned = run(values)
    value, indices = returned if isinstance(returned, tuple) else (returned, None)
    if not adds(spec):
        value, ones = widened(value), np.ones((1,) * value.ndim)
        return Expected(
            value, dtype, ones, ones, 1, lambda: np.abs(value), lambda: np.broadcast_to(ones, value.shape), indices
        )
    spatial = _spatial_axes(values.ndim, len(spec.axes), is_channels_last(str(options.get("data_format", ""))))
    return Expected(
        value,
        dtype,
        _quantum(values, spatial),
        _peak(values, spatial),
        terms or math.prod(values.shape[axis] for axis in spatial),
        lambda: run(np.abs(values)),
        lambda: run(np.ones_like(values)),
        order_matters=lambda largest: order_matters(run, values, largest),
    )


def _weighed(
    operator: str,
    tensors: Mapping[str, Array],
    flowing: str,
    arguments: Mapping[str, object],
    dtype: str,
    map_rule: str,
) -> Expected:
    """By the tables of the documented rule: a sum alone does not say what its weights were."""
    spec = OPERATORS[operator]
    last = is_channels_last(str(arguments.get("data_format", "")))
    values = np.moveaxis(tensors[flowing], -1, 1) if last else tensors[flowing]
    sizes: Any = result_sizes(spec, tensors, arguments)
    rule = documented_weights(spec, arguments, values.shape[-len(spec.axes) :], sizes, dtype, map_rule)
    return weighed_result(values, rule.tables(values.shape[-len(spec.axes) :], sizes), dtype, last)


def result_sizes(spec: OpSpec, tensors: Mapping[str, Array], arguments: Mapping[str, Any]) -> tuple[int, ...]:
    """Spatial sizes of the result of a weighted sum."""
    last, axes = is_channels_last(str(arguments.get("data_format", ""))), len(spec.axes)

    def spatial(sizes: Sequence[int]) -> tuple[int, ...]:
        return tuple(sizes[1:-1] if last else sizes[-axes:])

    if spec.is_gradient and "input" in tensors:
        return spatial(tensors["input"].shape)
    if spec.is_gradient:
        given = tuple(arguments["input_size"])
        (grad,) = tensors.values()
        in_order = last and (spec.input_size_follows_format or given[:2] != (grad.shape[0], grad.shape[-1]))
        return given[1:-1] if in_order else given[2:]
    if "output_size" in arguments:
        return along(arguments["output_size"], axes)
    return window_counts(spec, spatial(tensors[flowing_name(spec)].shape), arguments)


def weighed_result(values: Array, tables: Sequence[Table], dtype: str, last: bool) -> Expected:
    """``values`` are channels first; ``last``: the result is not."""
    spatial = tuple(range(values.ndim - len(tables), values.ndim))
    weighing = Weighing(values, tables, _quantum(values, spatial))

    def laid(result: NDArray[Any]) -> NDArray[Any]:
        return np.moveaxis(result, 1, -1) if last else result

    return Expected(
        laid(weighing.sums),
        dtype,
        laid(weighing.coarseness),
        laid(np.full_like(weighing.coarseness, np.inf)),
        2,
        lambda: laid(weighing.magnitude),
        lambda: laid(weighing.count),
        order_matters=lambda largest: laid(weighing.open(largest)),
        errors=lambda unit: laid(weighing.error(unit)),
    )


def twin(operator: str, tensors: Mapping[str, Array], arguments: Mapping[str, object]) -> Any:
    """What the library returns, without a word about scales that look inverted: cases have such on purpose."""
    for result in OPERATORS[operator].results:
        if result.holds == "indices":  # those that the document has
            arguments = {"index_dtype": result.dtypes[0], **arguments}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", acltwin.InvertedScaleWarning)
        return getattr(acltwin, operator)(**tensors, **arguments)


def _peak(values: NDArray[np.float64], spatial: tuple[int, ...]) -> NDArray[np.float64]:
    """The largest finite magnitude of a plane."""
    peak = np.maximum(
        values.max(axis=spatial, keepdims=True, initial=0.0), -values.min(axis=spatial, keepdims=True, initial=0.0)
    )
    if np.isfinite(peak).all():
        return np.asarray(peak)
    finite = np.where(np.isfinite(values), np.abs(values), 0.0)
    return np.asarray(finite.max(axis=spatial, keepdims=True, initial=0.0))


def _spatial_axes(rank: int, axes: int, channels_last: bool) -> tuple[int, ...]:
    first = 1 if channels_last else rank - axes
    return tuple(range(first, first + axes))


def _quantum(values: NDArray[np.float64], spatial: tuple[int, ...]) -> NDArray[np.float64]:
    """The largest power of two that divides all finite non-zero values of a plane; 1 where there are none."""
    planes = np.moveaxis(values, spatial, range(values.ndim - len(spatial), values.ndim))
    kept = tuple(1 if axis in spatial else size for axis, size in enumerate(values.shape))
    rows = planes.reshape(math.prod(kept), math.prod(values.shape[axis] for axis in spatial))
    least = np.full(len(rows), np.inf)
    high, wide = max(1, BLOCK // max(rows.shape[1], 1)), min(rows.shape[1], BLOCK)
    for top in range(0, len(rows), high):
        for left in range(0, rows.shape[1], max(wide, 1)):
            part = _weights(rows[top : top + high, left : left + wide]).min(axis=1, initial=np.inf)
            np.minimum(least[top : top + high], part, out=least[top : top + high])
    return np.where(np.isinf(least), 1.0, least).reshape(kept)


def _weights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of each number's lowest bit: its unit in the last place times the lowest set bit of its significand.

    Infinite for infinities, NaN and zeros, so that the smallest weight of a plane is the answer.
    """
    bits = np.ascontiguousarray(values).view(np.int64)
    significand = bits & (2**52 - 1) | 2**52
    lowest = (significand & -significand).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        weight = (bits & (0x7FF << 52)).view(np.float64) * 2.0**-52 * lowest
    small = np.abs(values) < 2.0**-960  # denormal, or nearly: their units are not those of the formula
    if small.any():
        weight[small] = np.where(values[small] == 0, np.inf, _small_weights(values[small]))
    return weight


def _small_weights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for the smallest numbers, made larger first."""
    mantissa, exponent = np.frexp(values)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    return np.asarray(np.ldexp((whole & -whole).astype(np.float64), exponent - 53))
