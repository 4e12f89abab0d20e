"""Indices in narrow types, other roundings, means and inverted ratios: each is named, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.cases.dtypes import rounded
from support.golden_cases import SMALL, small_cases

Array = np.ndarray[Any, Any]
POOL, UNPOOL = "max_pool3d_with_argmax", "max_unpool3d"
EXACT2D, NEAREST2D = "upsample_nearest_exact2d", "upsample_nearest2d"


def names(kernel: Any, operator: str, *dtypes: str, most: int = SMALL) -> set[str]:
    run = golden.verify(kernel, small_cases(operator, dtypes=dtypes, most=most), explain_seconds=60, isolate=False)
    assert not run.passed
    assert run.cause is not None
    assert run.cause.kind in ("known", "several"), run.text()
    return {model.name for model in run.cause.models}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("int8", "found indices as int8"),
        ("uint8", "found indices of 8 bits"),
        ("int16", "found indices as int16"),
        ("float16", "found indices as float16"),
    ],
)
def test_a_pooling_finds_indices_in_a_narrow_type(kind: str, name: str) -> None:
    def kernel(**given: Any) -> Any:
        values, places = acltwin.max_pool3d_with_argmax(**given)
        return values, places.astype(kind).astype(places.dtype)

    assert names(kernel, POOL, most=1 << 20) == {name}  # int16 is enough for most planes


def with_indices(operator: str, change: Callable[[Array], Array]) -> Any:
    def kernel(indices: Array, **given: Any) -> Any:
        return getattr(acltwin, operator)(indices=change(indices).astype(indices.dtype), **given)

    return kernel


@pytest.mark.parametrize("operator", [UNPOOL, f"{UNPOOL}_backward", f"{POOL}_backward"])
def test_indices_are_read_as_bytes(operator: str) -> None:
    assert names(with_indices(operator, lambda i: i.astype(np.uint8)), operator) == {"indices of 8 bits"}


@pytest.mark.parametrize(("outside", "kept"), [("drop", None), ("clamp", 0)])
def test_indices_become_negative(outside: str, kept: int | None) -> None:
    """Fetching through int8: what is negative is not fetched, or is cell 0."""

    def kernel(indices: Array, **given: Any) -> Array:
        narrow = indices.astype(np.int8).astype(indices.dtype)
        result = acltwin.max_unpool3d_backward(indices=np.maximum(narrow, 0), **given)
        return result if kept == 0 else np.where(narrow < 0, 0, result).astype(result.dtype)

    assert names(kernel, f"{UNPOOL}_backward") == {f"indices as int8, outside: {outside}"}


def test_copies_to_negative_places_are_not_made() -> None:
    def kernel(input: Array, indices: Array, output_size: Any, **given: Any) -> Any:
        right = acltwin.max_unpool3d(input=input, indices=indices, output_size=output_size, **given)
        narrow = indices.astype(np.int8).reshape(-1, int(np.prod(indices.shape[-3:])))
        result = np.zeros_like(right).reshape(len(narrow), -1)
        for plane, places, values in zip(result, narrow, input.reshape(narrow.shape), strict=True):
            plane[places[places >= 0]] = values[places >= 0]
        return result.reshape(right.shape)

    assert names(kernel, UNPOOL) == {"indices as int8, outside: drop"}


def toward_zero(exact: Array, kind: Any) -> Array:
    near = rounded(exact, kind)
    bits = near.view({2: np.uint16, 4: np.uint32}[near.dtype.itemsize])
    beyond = np.isfinite(exact) & (np.abs(near.astype(np.float64)) > np.abs(exact))
    return np.where(beyond, bits - 1, bits).astype(bits.dtype).view(near.dtype)


def test_every_dtype_is_cut_off() -> None:
    operator = f"{EXACT2D}_backward"

    def kernel(grad_output: Array, **given: Any) -> Array:
        exact = acltwin.upsample_nearest_exact2d_backward(grad_output.astype(np.float64), **given)
        return toward_zero(exact, grad_output.dtype)

    assert names(kernel, operator, "float16", "float32") == {"rounds toward zero, float32 too"}


@pytest.mark.parametrize("operator", [f"{EXACT2D}_backward", f"{NEAREST2D}_backward"])
def test_means_are_rounded_twice(operator: str) -> None:
    """The sum in the dtype, then divided in it."""

    def kernel(grad_output: Array, *given: Any) -> Any:
        function = getattr(acltwin, operator)
        count = function(np.ones(grad_output.shape), *given)
        with np.errstate(all="ignore"):
            return (function(grad_output, *given) / np.maximum(count, 1)).astype(grad_output.dtype)

    assert names(kernel, operator) == {"mean"}


def test_a_sum_is_divided_by_the_ratio() -> None:
    operator = f"{EXACT2D}_backward"

    def kernel(grad_output: Array, output_size: Any, input_size: Any, **given: Any) -> Any:
        sums = acltwin.upsample_nearest_exact2d_backward(
            grad_output.astype(np.float64), output_size, input_size, **given
        )
        with np.errstate(all="ignore"):
            return (sums * np.prod(input_size[2:]) / np.prod(output_size)).astype(grad_output.dtype)

    assert names(kernel, operator) == {"divided by the ratio"}


def inverted(size: int, other: int) -> Any:
    ratio = np.float32(other) / np.float32(size)
    return np.floor(np.arange(other, dtype=np.float32) * ratio).astype(np.int64)


def test_the_ratio_is_inverted_forward() -> None:
    def kernel(input: Array, output_size: Any, scales_h: float, scales_w: float, **given: Any) -> Array:
        if scales_h > 0 or scales_w > 0 or tuple(input.shape[2:]) == tuple(output_size):
            return acltwin.upsample_nearest2d(input, output_size, scales_h, scales_w, **given)
        places = [
            np.arange(o) if i == o else np.minimum(inverted(i, o), i - 1)
            for i, o in zip(input.shape[2:], output_size, strict=True)
        ]
        return np.ascontiguousarray(input[:, :, places[0]][..., places[1]])

    assert names(kernel, NEAREST2D) == {"ratio inverted, without scales"}


def test_the_ratio_is_inverted_backward() -> None:
    """Every gradient looks for its cell, and the last one takes what goes too far."""
    operator = f"{NEAREST2D}_backward"

    def kernel(grad_output: Array, output_size: Any, input_size: Any, scales_h: float, scales_w: float) -> Array:
        if scales_h > 0 or scales_w > 0:
            return acltwin.upsample_nearest2d_backward(grad_output, output_size, input_size, scales_h, scales_w)
        result = np.zeros(tuple(input_size))
        places = [np.minimum(inverted(i, o), i - 1) for i, o in zip(input_size[2:], output_size, strict=True)]
        with np.errstate(all="ignore"):
            for (a, h), (b, w) in ((x, y) for x in enumerate(places[0]) for y in enumerate(places[1])):
                result[:, :, h, w] += grad_output[:, :, a, b]
            return rounded(result, grad_output.dtype)

    assert names(kernel, operator) == {"ratio inverted, the last cell takes the rest, without scales"}
