"""Calls are remembered: one that differs in anything from an earlier one must not be taken for it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import reference
from support.values import Array

SHAPE, OUTER = (1, 2, 3, 4, 5), (5, 7, 11)
GRAD_OUT = np.arange(2 * 5 * 7 * 11, dtype=np.float32).reshape(1, 2, *OUTER) % 31

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def _call(grad_out: Array = GRAD_OUT, scales: tuple[float, ...] = (0.0, 0.0, 0.0), **keywords: Any) -> Call:
    operator = keywords.pop("operator", "upsample_nearest_exact3d_backward")
    input_size = keywords.pop("input_size", SHAPE)
    return operator, (grad_out, keywords.pop("output_size", OUTER), input_size, *scales), keywords


DIFFERENT: dict[str, Call] = {
    "plain": _call(),
    "values": _call(GRAD_OUT[..., ::-1].copy()),
    "dtype": _call(GRAD_OUT.astype(np.float16)),
    "strides": _call(GRAD_OUT.swapaxes(-1, -2).copy().swapaxes(-1, -2)),
    "direction": _call(GRAD_OUT[:, ::-1]),
    "shape": _call(input_size=(1, 2, 3, 5, 4)),
    "scales": _call(scales=(1.5, 1.5, 2.0)),
    "rule": _call(scales=(0.0, 1.5, 2.0), rule="torch"),
    "format": _call(GRAD_OUT.reshape(1, *OUTER, 2), input_size=(1, 3, 4, 5, 2), data_format="NDHWC", output_size=OUTER),
    "operator": _call(operator="upsample_nearest3d_backward"),
}


def _check(call: Call) -> None:
    operator, arguments, keywords = call
    expected = getattr(reference, operator)(*arguments, **keywords)
    assert (getattr(acltwin, operator)(*arguments, **keywords) == expected).all()
    out = np.full(expected.shape, 77, arguments[0].dtype)
    assert getattr(acltwin, operator)(*arguments, **keywords, out=out) is out
    assert (out == expected).all()


@pytest.mark.parametrize("first", DIFFERENT)
@pytest.mark.parametrize("second", DIFFERENT)
def test_calls_that_differ_in_one_thing(first: str, second: str) -> None:
    for name in (first, second, first, second):
        _check(DIFFERENT[name])


LARGE: dict[str, tuple[int, ...]] = {
    "square": (120, 100),
    "wide": (3, 5000),
    "long": (2, 150_000),
    "longest": (1, 400_000),
}


@functools.cache
def _large(name: str) -> tuple[Array, tuple[Any, ...], Array]:
    """A gradient, its sizes, and the result."""
    plane = LARGE[name]
    grad_out = (np.arange(plane[0] * plane[1], dtype=np.float32) % 31).reshape(1, 1, *plane)
    sizes = (plane, (1, 1, plane[0], plane[1] // 3))
    return grad_out, sizes, reference.upsample_nearest_exact2d_backward(grad_out, *sizes)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("first", LARGE)
@pytest.mark.parametrize("second", LARGE)
def test_large_calls(first: str, second: str, threads: int) -> None:
    """Also those whose tables are too long to be kept, or to be kept beside others."""
    before = acltwin.get_num_threads()
    for name, count in ((first, threads), (second, 1), (first, 2)):
        acltwin.set_num_threads(count)
        grad_out, sizes, expected = _large(name)
        assert (acltwin.upsample_nearest_exact2d_backward(grad_out, *sizes) == expected).all()
    acltwin.set_num_threads(before)


def test_indices_of_another_type_are_another_call() -> None:
    volume = np.arange(64, dtype=np.float32).reshape(1, 1, 4, 4, 4)
    for index_dtype in ("int32", "int64", "int32"):
        pooled, indices = acltwin.max_pool3d_with_argmax(volume, 2, index_dtype=index_dtype)
        assert indices.dtype == index_dtype
        assert (volume.ravel()[indices] == pooled).all()


def test_more_calls_than_are_remembered() -> None:
    for _ in range(3):
        for width in range(1, 40):
            _check(_call(input_size=(*SHAPE[:-1], width)))


def test_a_refused_call_stays_refused() -> None:
    for _ in range(3):
        with pytest.raises(ValueError, match="expected 3"):
            acltwin.upsample_nearest_exact3d_backward(GRAD_OUT, OUTER[:2], SHAPE)
        _check(_call())


def test_a_wrong_index_is_found_again_and_again() -> None:
    grad, values = np.ones((1, 1, 2, 2, 2), np.float32), np.zeros((1, 1, 1, 1, 1), np.float32)
    arguments = ((2, 2, 2), (2, 2, 2), (0, 0, 0))
    for index in (3, 8, 7, -1, 0):
        indices = np.full((1, 1, 1, 1, 1), index, np.int64)
        if 0 <= index < 8:
            assert acltwin.max_unpool3d_backward(grad, values, indices, *arguments) == 1
        else:
            with pytest.raises(IndexError):
                acltwin.max_unpool3d_backward(grad, values, indices, *arguments)
