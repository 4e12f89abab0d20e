"""Poolings with one decision taken wrongly, written out here: that decision is named, and no other."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from support.golden_cases import small_cases

Array = np.ndarray[Any, Any]
POOL = "max_pool3d_with_argmax"


def plain_pool(
    image: Array,
    counts: tuple[int, ...],
    kernel: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    start: float = -np.inf,
    padded: float | None = None,
) -> tuple[Array, Array]:
    """Cell by cell; the first maximum wins, and the last NaN. ``padded``: what cells outside the plane count as."""
    sizes = image.shape[-3:]
    planes = image.reshape(-1, *sizes).astype(np.float64)
    best = np.full((len(planes), *counts), start)
    places = np.full(best.shape, -1)
    for window in product(*map(range, counts)):
        for tap in product(*map(range, kernel)):
            cell = tuple(
                o * s - p + t * d for o, s, p, t, d in zip(window, stride, padding, tap, dilation, strict=True)
            )
            inside = all(0 <= c < n for c, n in zip(cell, sizes, strict=True))
            if not inside and padded is None:
                continue
            at: Any = (slice(None), *window)
            source: Any = (slice(None), *cell)
            value = planes[source] if inside else np.full(len(planes), padded)
            place = np.ravel_multi_index(cell, sizes) if inside else -1
            old, spot = best[at], places[at]
            wins = (value > old) | np.isnan(value) | ((spot < 0) & (value == old) & np.isneginf(value))
            best[at] = np.where(wins, value, old)
            places[at] = np.where(wins, place, spot)
    return best, places


def changed_pool(change: dict[str, Any], **options: float) -> Any:
    """``change``: argument -> function of all four."""

    def kernel(input: Array, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
        given = {"kernel": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
        given = {name: (value,) * 3 if isinstance(value, int) else tuple(value) for name, value in given.items()}
        given["stride"] = given["stride"] or given["kernel"]
        right = acltwin.max_pool3d_with_argmax(input, kernel_size, stride, padding, dilation, ceil_mode)
        wrong = {name: change.get(name, lambda all_, own=value: own)(given) for name, value in given.items()}
        best, places = plain_pool(input, right[0].shape[-3:], **wrong, **options)
        shape = right[0].shape
        return best.reshape(shape).astype(input.dtype), places.reshape(shape).astype(right[1].dtype)

    return kernel


def windows() -> list[Any]:
    """Every geometry that is not large."""
    found = [case for case in small_cases(POOL) if case.fill in ("distinct", "negative")]
    assert len(found) > 10
    return found


def backwards(name: str) -> Any:
    return lambda given: given[name][::-1]


ALL = ("kernel", "stride", "padding", "dilation")


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("all arguments with D and W exchanged", changed_pool({name: backwards(name) for name in ALL})),
        ("kernel size with D and W exchanged", changed_pool({"kernel": backwards("kernel")})),
        ("stride with D and W exchanged", changed_pool({"stride": backwards("stride")})),
        ("padding with D and W exchanged", changed_pool({"padding": backwards("padding")})),
        ("kernel size and stride with D and W exchanged", changed_pool({name: backwards(name) for name in ALL[:2]})),
        ("dilation ignored", changed_pool({"dilation": lambda given: (1, 1, 1)})),
        ("kernel as stride", changed_pool({"stride": lambda given: given["kernel"]})),
        ("zero padding", changed_pool({}, padded=0.0)),
        ("zero start", changed_pool({}, start=0.0)),
    ],
)
def test_the_decision_is_named(name: str, kernel: Any) -> None:
    run = golden.verify(kernel, windows(), isolate=False, explain_seconds=60)
    assert not run.passed
    assert run.cause is not None
    assert run.cause.kind == "known", run.text()
    assert [model.name for model in run.cause.models] == [name], run.text()


def test_the_pooling_written_out_here_is_right() -> None:
    run = golden.verify(changed_pool({}), windows(), isolate=False)
    assert run.passed, run.text()
    assert run.cause is None


def test_ceil_mode_is_ignored() -> None:
    """The windows that floor has are computed, the others stay 0."""

    def kernel(input: Array, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
        results = acltwin.max_pool3d_with_argmax(input, kernel_size, stride, padding, dilation, ceil_mode)
        if not ceil_mode:
            return results
        window = (kernel_size, stride, padding, dilation)
        counts = []
        for axis, size in enumerate(input.shape[-3:]):
            k, s, p, d = (v if isinstance(v, int) else v[axis] if len(v) > 1 else v[0] for v in window)
            counts.append((size + 2 * p - d * (k - 1) - 1) // s + 1)
        empty = tuple(np.zeros_like(a) for a in results)
        part: Any = (..., *(slice(0, n) for n in counts))
        for whole, right in zip(empty, results, strict=True):
            whole[part] = right[part]
        return empty

    run = golden.verify(kernel, small_cases(POOL), explain_seconds=60, isolate=False)
    assert run.cause is not None
    assert [model.name for model in run.cause.models] == ["ceil mode's windows lost"], run.text()
