"""Wrong weights, divisors and remainders: what is wrong is named, with the sizes that the outputs show."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.cases.dtypes import rounded
from acltwin.golden.causes.cause import Cause
from support.golden_cases import small_cases

Array = np.ndarray[Any, Any]
LINEAR, SMOOTH, AVERAGE, NEAREST = "upsample_linear1d", "upsample_bilinear2d_aa", "avg_pool2d", "upsample_nearest2d"


def cause_of(kernel: Callable[..., Any], operator: str, *dtypes: str) -> Cause:
    run = golden.verify(kernel, small_cases(operator, dtypes=dtypes), explain_seconds=60, isolate=False)
    assert run.cause is not None
    return run.cause


def only(cause: Cause) -> str:
    assert cause.kind == "known", str(cause)
    assert cause.explained == cause.failing
    return cause.models[0].name


def weighed(matrices: list[Array], x: Array, spreads: bool = False) -> Array:
    """Along each of the last axes the product with a matrix, whose zeros take nothing unless they are to."""
    total = x.astype(np.float64)
    for axis, matrix in enumerate(matrices, start=x.ndim - len(matrices)):
        rows = np.moveaxis(total, axis, -1)
        with np.errstate(all="ignore"):
            shares = rows[..., None, :] * matrix
            shares = shares if spreads else np.where(matrix == 0, 0.0, shares)
            total = np.moveaxis(shares.sum(-1), -1, axis)
    return rounded(total, x.dtype)


def linear(
    inverted: bool = False,
    truncated: bool = False,
    bits: int = 0,
    rounds: bool = False,
    half: float = 0.5,
    spreads: bool = False,
) -> Callable[..., Array]:
    """Linear interpolation along one axis, with a part of it wrong."""

    def kernel(input: Array, **given: Any) -> Array:
        align_corners, scales = given["align_corners"], given["scales"]
        (n,), (out,) = input.shape[2:], given["output_size"]
        step = np.float32(1 / scales if scales > 0 else n / out)
        if align_corners:
            ends = (out - 1, n - 1) if inverted else (n - 1, out - 1)
            step = np.float32(ends[0] / ends[1] if ends[1] else 0)
        matrix = np.zeros((out, n))
        for o in range(out):
            place = step * np.float32(o) if align_corners else step * np.float32(o + half) - np.float32(half)
            place = place if truncated else max(place, np.float32(0))
            cell = min(int(place), n - 1)
            part = float(place - np.float32(cell))
            part = part if truncated else min(part, 1.0)
            part = math.floor(part * 2**bits + 0.5) / 2**bits if bits else part
            part = float(input.dtype.type(part)) if rounds else part
            matrix[o, cell] += 1 - part
            matrix[o, min(cell + 1, n - 1)] += part
        matrix = np.eye(n) if n == out else matrix
        return weighed([matrix], input, spreads)

    return kernel


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        (linear(inverted=True), "corners inverted with aligned corners"),
        (linear(truncated=True), "truncated, fraction too"),
        (linear(bits=7), "fractions of 7 bits, left after rounding"),
        (linear(rounds=True), "fractions of positions in dtype"),
        (linear(half=0.0), "no half cells"),
    ],
)
def test_a_wrong_position_is_named(kernel: Callable[..., Array], name: str) -> None:
    assert only(cause_of(kernel, LINEAR, "float32", "float16")) == name


def test_two_mistakes_are_told_if_one_spreads_nan() -> None:
    cause = cause_of(linear(half=0.0, spreads=True), LINEAR, "float32")
    assert only(cause) == "no half cells"
    assert "NaN and infinities spread over their plane" in cause.models[0].sentence
    assert only(cause_of(linear(spreads=True), LINEAR, "float32")) == "NaN or an infinity spoils its line along L"


def test_weights_that_are_divided_by_the_ratio() -> None:
    def kernel(input: Array, **given: Any) -> Array:
        scales = given["scales_h"], given["scales_w"]
        sizes = zip(input.shape[2:], given["output_size"], scales, strict=True)
        matrices = [_smooth(n, out, scale, given["align_corners"]) for n, out, scale in sizes]
        return weighed(matrices, input)

    assert only(cause_of(kernel, SMOOTH, "float32")) == "divided by the ratio"


def _smooth(n: int, out: int, scale: float, align: bool) -> Array:
    if n == out:
        return np.eye(n)
    step = np.float32(1 / scale if scale > 0 else n / out)
    if align:
        step = np.float32((n - 1) / (out - 1) if out > 1 else 0)
    wide = max(step, np.float32(1))
    middle = step * (np.arange(out, dtype=np.float32) + np.float32(0.5))
    distance = (np.arange(n, dtype=np.float32) - middle[:, None] + np.float32(0.5)) / wide
    return np.maximum(0.0, 1 - np.abs(distance.astype(np.float64))) / float(wide)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda sums, size: sums * float(np.float16(1) / np.float16(size)), "reciprocal in float16, of all axes"),
        (lambda sums, size: sums, "not divided"),
    ],
)
def test_a_wrong_divisor_is_named(change: Callable[[Array, int], Array], name: str) -> None:
    def kernel(input: Array, **given: Any) -> Array:
        whole = input.astype(np.float64)
        sizes = acltwin.avg_pool2d(np.ones_like(whole), **{**given, "divisor_override": 1})
        right = acltwin.avg_pool2d(np.ones_like(whole), **given)
        with np.errstate(all="ignore"):
            sums = acltwin.avg_pool2d(whole, **{**given, "divisor_override": 1})
            counts = np.rint(sizes / np.where(right == 0, 1, right))
            shares = np.empty_like(sums)
            for count in np.unique(counts):
                shares = np.where(counts == count, change(sums, max(int(count), 1)), shares)
        return rounded(shares, input.dtype)

    assert only(cause_of(kernel, AVERAGE, "float32")) == name


def changed(change: Callable[[Array], Array]) -> Callable[..., Array]:
    def kernel(**given: Any) -> Array:
        right = np.array(acltwin.upsample_nearest2d(**given))
        last = given.get("data_format") == "NHWC"
        result = change(np.ascontiguousarray(np.moveaxis(right, -1, 1) if last else right))
        return np.moveaxis(result, 1, -1) if last else result

    return kernel


def _tail(y: Array) -> Array:
    width = y.shape[-1]
    whole = width // 12 * 12
    if width > 12:
        y[..., whole:] = y[..., : width - whole].copy()
    return y


def _fifth(y: Array) -> Array:
    y[..., 4::5] = y[..., 3:-1:5] if y.shape[-1] % 5 == 0 else y[..., 3::5][..., : y[..., 4::5].shape[-1]]
    return y


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_tail, "cells beyond the last whole block of 12 along W hold the data of the first cells"),
        (_fifth, "cells 4, 9, 14, ... along W hold the data of the cell before"),
        (lambda y: (y * 4).astype(y.dtype), "every value is 4 times the right one"),
    ],
)
def test_the_outputs_say_where_and_what(change: Callable[[Array], Array], sentence: str) -> None:
    cause = cause_of(changed(change), NEAREST, "float32")
    assert only(cause)
    assert cause.models[0].sentence == sentence


def test_what_is_not_known_takes_three_lines() -> None:
    def strange(y: Array) -> Array:
        y[..., 2::3] = (y[..., 2::3] * 3 + 1).astype(y.dtype)
        return y

    cause = cause_of(changed(strange), NEAREST, "float32")
    assert cause.kind == "unknown"
    lines = str(cause).splitlines()
    assert len(lines) <= 3
    assert "only cells 2, 5, 8, ... along W are wrong" in str(cause)
