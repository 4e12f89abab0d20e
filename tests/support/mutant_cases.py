"""Calls on which wrong implementations show: many geometries, and values that no fault leaves as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

import acltwin
from acltwin.golden.wrong import Mutant
from acltwin.ops import OPERATORS, OpSpec
from support.values import BFLOAT16, Array

DTYPES = (np.dtype(np.float32), np.dtype(np.float16), BFLOAT16)
NONE = (0.0, 0.0, 0.0)
UPSAMPLINGS = (  # input, output, scales, batch; of 2-D operators the last two axes
    ((3, 4, 8), (5, 7, 19), NONE, (2, 3)),
    ((2, 3, 5), (4, 6, 10), NONE, (1, 6)),
    ((4, 6, 9), (2, 4, 5), NONE, (3, 2)),
    ((3, 4, 5), (8, 9, 13), (1.5, 1.5, 1.5), (2, 2)),
    ((3, 4, 5), (6, 9, 13), (2.0, 0.0, 1.5), (1, 2)),
    ((3, 4, 5), (6, 9, 13), (0.0, 2.0, 0.0), (1, 2)),
    ((3, 4, 5), (6, 6, 15), (2.0, 1.5, 3.0), (1, 2)),
    ((4, 4, 4), (2, 2, 2), (0.5, 0.5, 0.5), (1, 2)),
    ((2, 20, 70), (3, 33, 141), NONE, (1, 5)),
    ((2, 9, 37), (2, 18, 74), NONE, (1, 2)),
    ((2, 72, 72), (1, 20, 20), NONE, (1, 1)),  # along W of this and the next two, float32's rounding decides
    ((1, 84, 84), (2, 6, 6), NONE, (1, 1)),
    ((2, 12, 12), (3, 123, 123), NONE, (1, 1)),
    ((1, 2, 6), (1, 13, 1), NONE, (1, 2)),
    ((1, 4, 33), (1, 5, 33), (0.0, 1.25, 1.02), (1, 2)),
    ((1, 2, 5), (1, 3, 301), NONE, (1, 2)),
    ((1, 1, 2100), (1, 2, 2200), NONE, (1, 1)),
)
WINDOWS = (  # plane, kernel, stride, padding, dilation, ceil mode, batch
    ((5, 6, 9), (2, 3, 3), (2, 2, 1), (1, 0, 1), 1, False, (2, 3)),
    ((4, 7, 8), 3, 1, 1, 1, False, (1, 6)),
    ((5, 8, 10), 2, None, 0, 1, True, (3, 2)),
    ((6, 9, 12), 3, 2, (1, 1, 0), 1, True, (2, 2)),
    ((7, 9, 11), 2, (1, 2, 1), 1, (2, 3, 2), False, (1, 2)),
    ((4, 7, 9), (1, 2, 3), (1, 3, 4), 0, 1, False, (1, 5)),
    ((3, 20, 74), (2, 2, 3), 1, (0, 1, 1), 1, False, (1, 5)),
    ((2, 20, 145), (2, 3, 3), 2, (0, 1, 1), 1, False, (1, 2)),
    ((9, 61, 70), (2, 2, 2), 2, 0, 1, False, (1, 1)),
    ((4, 4, 6), 2, 1, 0, 1, False, (3,)),
)
UNPOOLINGS = (  # pooled plane, its output, stride, batch
    ((2, 3, 5), (4, 6, 9), 2, (2, 3)),
    ((3, 4, 7), (5, 9, 15), 2, (1, 6)),
    ((2, 9, 37), (4, 19, 75), 2, (1, 5)),
    ((3, 10, 70), (3, 21, 141), (1, 2, 2), (1, 2)),
    ((4, 15, 18), (9, 61, 70), 2, (1, 1)),
    ((2, 3, 4), (4, 6, 8), 2, (3,)),
)


@dataclass(frozen=True)
class MutantCase:
    operator: str
    fill: str
    tensors: dict[str, Array]
    arguments: dict[str, Any]

    @cached_property
    def right(self) -> tuple[Array, ...]:
        return as_tuple(getattr(acltwin, self.operator)(**self.tensors, **self.arguments))

    def is_flagged(self, results: tuple[Array, ...]) -> bool:
        """Whether these are not the right results, rounding of float32 sums aside."""
        return any(not _agree(*pair, self.fill == "real") for pair in zip(self.right, results, strict=True))


def as_tuple(returned: Any) -> tuple[Array, ...]:
    return returned if isinstance(returned, tuple) else (returned,)


def _agree(right: Array, result: Array, rounded: bool) -> bool:
    if right.shape != result.shape or right.dtype != result.dtype:
        return False
    expected, got = right.astype(np.float64), result.astype(np.float64)
    with np.errstate(invalid="ignore"):
        if not rounded:
            return np.array_equal(expected, got, equal_nan=True)
        slack = {2: 2.0**-6, 4: 1e-4}[right.dtype.itemsize] if right.dtype.kind not in "iu" else 0
        return bool(np.allclose(expected, got, rtol=slack / 8, atol=slack * np.abs(expected).max(initial=0)))


def fill(rng: np.random.Generator, kind: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Values of one kind; the sums of all but the real ones are exact in float32."""
    bits = {np.dtype(np.float16): 11, BFLOAT16: 8}.get(dtype, 24)
    if kind == "integers":
        return (rng.integers(1, 8, shape) * rng.choice([-1, 1], shape)).astype(dtype)
    if kind == "rounding":
        return rng.integers(-(2**bits) + 1, 2**bits, shape).clip(-(2**16), 2**16).astype(dtype)
    if kind == "mixed":  # sums with more bits than the type: large multiples of 16, and small numbers
        return np.where(
            rng.random(shape) < 0.5, rng.integers(-128, 128, shape) * 16, rng.integers(-7, 8, shape)
        ).astype(dtype)
    if kind == "real":
        return (rng.standard_normal(shape) * np.exp2(rng.uniform(-3, 3, shape))).astype(dtype)
    if kind == "largest":
        return np.full(shape, 65504.0 if dtype == np.float16 else 2.0**127 * 1.9921875).astype(dtype)
    if kind == "tiny":
        return (rng.integers(-9, 10, shape) * (2.0**-24 if dtype == np.float16 else 2.0**-133)).astype(dtype)
    values = fill(rng, "integers", shape, dtype)
    for special in (np.nan, np.inf, -np.inf):
        values[rng.random(shape) < 0.04] = special
    return values


FILLS = ("integers", "rounding", "mixed", "real", "largest", "tiny", "special")


def pooled_values(rng: np.random.Generator, kind: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Inputs whose maxima are hard to get right."""
    if kind == "ties":
        return rng.integers(-2, 3, shape).astype(dtype)
    if kind == "negative":
        values = -rng.integers(1, 2000, shape)
        values[..., 0, 0, 0] = values[..., -1, -1, -1] = -1  # the first and the last cell are maxima
        return values.astype(dtype)
    if kind == "close":
        near = 1 + rng.integers(0, 8, shape) * (2.0**-7 if dtype == BFLOAT16 else 2.0**-10)
        return (
            near.astype(dtype) if dtype != np.float32 else (near + rng.integers(0, 9, shape) * 2.0**-20).astype(dtype)
        )
    if kind == "nan":
        values = fill(rng, "integers", shape, dtype)
        values[rng.random(shape) < 0.15] = np.nan
        return values
    if kind == "low":
        values = np.full(shape, -np.inf)
        values[rng.random(shape) < 0.02] = -1e4
        return values.astype(dtype)
    return fill(rng, kind, shape, dtype)


POOLED_FILLS = ("ties", "negative", "close", "nan", "low", "real", "tiny", "special")


@cache
def cases(operator: str, dtype: np.dtype[Any]) -> tuple[MutantCase, ...]:
    """Every geometry with every fill."""
    spec = OPERATORS[operator]
    make = {"upsample": _upsamplings, "pool": _poolings, "unpool": _unpoolings}[spec.family]
    return tuple(make(spec, np.random.default_rng(7), dtype))


def _upsamplings(spec: OpSpec, rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[MutantCase]:
    axes = len(spec.axes)
    for number, (inner, outer, scales, batch) in enumerate(UPSAMPLINGS):
        small, large = inner[-axes:], outer[-axes:]
        shape, keywords = (*batch, *(large if spec.is_gradient else small)), {}
        last = spec.data_formats[1:] if number % 4 == 0 else ()
        arguments = {
            "output_size": large,
            **{f"scales_{a.lower()}": s for a, s in zip(spec.axes, scales[-axes:], strict=True)},
        }
        if spec.is_gradient:
            arguments["input_size"] = (*batch, *small)
            if last and spec.input_size_follows_format:
                arguments["input_size"] = (batch[0], *small, batch[1])
        if last:
            shape, keywords = (shape[0], *shape[2:], shape[1]), {"data_format": last[0]}
        name = next(argument.python_name for argument in spec.inputs if argument.kind == "tensor")
        for kind in FILLS if np.prod(shape) < 20000 else ("integers",):
            yield MutantCase(spec.name, kind, {name: fill(rng, kind, shape, dtype)}, {**arguments, **keywords})


def _poolings(spec: OpSpec, rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[MutantCase]:
    for plane, kernel, stride, padding, dilation, ceil_mode, batch in WINDOWS:
        arguments = {
            "kernel_size": kernel,
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
            "ceil_mode": ceil_mode,
        }
        for number, kind in enumerate(POOLED_FILLS if np.prod(plane) < 3000 else ("ties", "negative")):
            values = pooled_values(rng, kind, (*batch, *plane), dtype)
            forward = MutantCase("max_pool3d_with_argmax", kind, {"input": values}, arguments)
            if not spec.is_gradient:
                yield forward
                continue
            maxima, indices = forward.right
            kind = FILLS[number % len(FILLS)]
            tensors = {"grad_output": fill(rng, kind, maxima.shape, dtype), "input": values, "indices": indices}
            yield MutantCase(spec.name, kind, tensors, arguments)


def _unpoolings(spec: OpSpec, rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[MutantCase]:
    for inner, outer, stride, batch in UNPOOLINGS:
        arguments = {"output_size": outer, "stride": stride, "padding": 0}
        cells, places, planes = int(np.prod(inner)), int(np.prod(outer)), int(np.prod(batch))
        for repeated in (False, True):
            draws = [
                rng.integers(0, places, cells) if repeated else rng.permutation(places)[:cells] for _ in range(planes)
            ]
            indices = np.array(draws).reshape(*batch, *inner)
            if not repeated:
                indices[..., 0, 0, 0], indices[..., 0, 0, 1] = 0, places - 1
            elif cells > 3:
                indices[..., -1] = indices[..., 0]
            kinds = ("integers", "real", "tiny", "special", "rounding") if places < 20000 else ("integers",)
            for kind in kinds:
                if spec.is_gradient:
                    tensors = {"grad_output": fill(rng, kind, (*batch, *outer), dtype)}
                    tensors["input"] = np.zeros(indices.shape, dtype)
                else:
                    tensors = {"input": fill(rng, kind, indices.shape, dtype)}
                yield MutantCase(spec.name, kind, {**tensors, "indices": indices}, arguments)


def run(mutant: Mutant, case: MutantCase) -> tuple[Array, ...]:
    return as_tuple(mutant.run(case.operator, dict(case.tensors), dict(case.arguments)))


def first_difference(mutant: Mutant, operator: str) -> MutantCase | None:
    """A call that shows the fault; None if there is none among these."""
    for dtype in DTYPES:
        for case in cases(operator, dtype):
            if case.is_flagged(run(mutant, case)):
                return case
    return None
