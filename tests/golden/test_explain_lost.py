"""Kernels that leave a part of the result out: the part is named, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.ops import OPERATORS
from support import registry
from support.golden_cases import small_cases

Array = np.ndarray[Any, Any]
POOL, UNPOOL = "max_pool3d_with_argmax", "max_unpool3d"
EXACT2D, NEAREST3D = "upsample_nearest_exact2d", "upsample_nearest3d"


def with_results(operator: str, change: Callable[[Array], Array], which: tuple[int, ...] = (0, 1)) -> Any:
    """The twin, with one or both of its results changed, channels first."""

    def kernel(**given: Any) -> Any:
        results = getattr(acltwin, operator)(**given)
        arrays = [np.array(a) for a in (results if isinstance(results, tuple) else (results,))]
        last = str(given.get("data_format", "")).endswith("C")
        for number in which[: len(arrays)]:
            first = np.moveaxis(arrays[number], -1, 1) if last else arrays[number]
            changed = change(np.ascontiguousarray(first))
            arrays[number] = np.moveaxis(changed, 1, -1) if last else changed
        return tuple(arrays) if len(arrays) > 1 else arrays[0]

    return kernel


def planes_of(y: Array, operator: str) -> Array:
    """A view: (planes, cells)."""
    axes = len(OPERATORS[operator].axes)
    return y.reshape(int(np.prod(y.shape[:-axes])), -1)


def named(kernel: Any, operator: str, level: Any = "default") -> set[str]:
    run = golden.verify(kernel, small_cases(operator, level), explain_seconds=60, isolate=False)
    assert not run.passed
    cause = run.cause
    assert cause is not None
    assert cause.kind in ("known", "several"), run.text()
    assert cause.explained == cause.failing
    return {model.name for model in cause.models}


def without_tail(tile: int, short: bool = False, fill: float = 0) -> Callable[[Array], Array]:
    def change(y: Array) -> Array:
        width = y.shape[-1]
        if short or width > tile:
            y[..., width // tile * tile :] = fill
        return y

    return change


@pytest.mark.parametrize("operator", [POOL, UNPOOL, f"{POOL}_backward", f"{UNPOOL}_backward", EXACT2D, NEAREST3D])
def test_the_remainder_of_a_row_is_lost(operator: str) -> None:
    found = named(with_results(operator, without_tail(8)), operator)
    assert "cells beyond the last whole block of 8 along W lost" in found
    assert all("block of 8" in name for name in found)


@pytest.mark.parametrize("operator", [POOL, f"{UNPOOL}_backward"])
def test_rows_shorter_than_a_block_are_lost_too(operator: str) -> None:
    found = named(with_results(operator, without_tail(16, short=True)), operator)
    assert found == {"cells beyond the last whole block of 16, and all where there are fewer, along W lost"}


def test_what_passing_cases_contradict_is_not_named() -> None:
    """It reproduces every failing output, but other rows have a remainder that is right."""
    wrong, right = with_results(EXACT2D, without_tail(8)), with_results(EXACT2D, lambda y: y)

    def kernel(**given: Any) -> Any:
        return (wrong if np.array(given["input"]).flat[0] > 0 else right)(**given)

    run = golden.verify(kernel, small_cases(EXACT2D), explain_seconds=60, isolate=False)
    assert run.cause is not None
    assert run.cause.passing > run.cause.failing > 0
    assert run.cause.kind in ("unknown", "nearest"), run.text()


def test_the_remainder_holds_old_memory() -> None:
    found = named(with_results(EXACT2D, without_tail(8, fill=42)), EXACT2D)
    assert found == {"cells beyond the last whole block of 8 along W stale"}


def test_the_remainder_repeats_the_block_before() -> None:
    def change(y: Array) -> Array:
        width = y.shape[-1]
        whole = width // 8 * 8
        if width > 8:
            y[..., whole:] = y[..., whole - 8 : width - 8]
        return y

    found = named(with_results(EXACT2D, change), EXACT2D)
    assert found == {"cells beyond the last whole block of 8 along W: the cell 8 before"}


@pytest.mark.parametrize("operator", [POOL, EXACT2D])
def test_the_remainder_of_a_plane_is_lost(operator: str) -> None:
    def change(y: Array) -> Array:
        planes = planes_of(y, operator)
        planes[:, planes.shape[1] // 32 * 32 :] = 0
        return y

    found = named(with_results(operator, change), operator)
    assert found == {"cells beyond the last whole block of 32, and all where there are fewer, in a plane lost"}


@pytest.mark.parametrize("which", [(0,), (1,)])
def test_one_of_two_results_is_lost(which: tuple[int, ...]) -> None:
    def change(y: Array) -> Array:
        y[..., -1, :] = 0
        return y

    found = named(with_results(POOL, change, which), POOL)
    assert found == {f"{('values', 'indices')[which[0]]} of the last cells along H lost"}


@pytest.mark.parametrize("operator", [POOL, f"{POOL}_backward", UNPOOL, NEAREST3D])
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("the last cells along W", np.s_[..., -1]),
        ("the first cells along H", np.s_[..., 0, :]),
        ("the last cells along D", -3),
    ],
)
def test_a_slice_is_lost(operator: str, name: str, place: Any) -> None:
    def change(y: Array) -> Array:
        y[np.s_[..., -1, :, :] if place == -3 else place] = 0
        return y

    assert named(with_results(operator, change), operator, "quick") == {f"{name} lost"}


@pytest.mark.parametrize("operator", [POOL, EXACT2D, f"{UNPOOL}_backward"])
@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("the cells of the last plane lost", lambda n: n - 1),
        ("the cells of planes from number 1 on lost", lambda n: 1),
        ("the cells of planes beyond the last whole block of 4 lost", lambda n: n // 4 * 4 if n > 4 else n),
    ],
)
def test_planes_are_lost(operator: str, name: str, kept: Callable[[int], int]) -> None:
    def change(y: Array) -> Array:
        planes = planes_of(y, operator)
        planes[kept(len(planes)) :] = 0
        return y

    found = named(with_results(operator, change), operator)
    assert name in found
    assert all("plane" in each for each in found)


@pytest.mark.parametrize("operator", [POOL, EXACT2D, UNPOOL])
def test_the_first_of_all_elements_is_stale(operator: str) -> None:
    def change(y: Array) -> Array:
        y.reshape(-1)[0] = 77
        return y

    assert named(with_results(operator, change), operator) == {"the first cells in memory stale"}


@pytest.mark.parametrize(
    ("operator", "name"),
    [(POOL, "reads the first batch"), (f"{UNPOOL}_backward", "writes the first batch")],
)
def test_the_first_batch_is_repeated(operator: str, name: str) -> None:
    def change(y: Array) -> Array:
        if y.ndim == len(OPERATORS[operator].axes) + 1:
            return y
        return np.ascontiguousarray(np.broadcast_to(y[:1], y.shape))

    found = named(with_results(operator, change), operator)
    assert name in found
    assert all("the first batch" in each for each in found)  # of planes that know nothing of each other: either


@pytest.mark.parametrize("operator", [POOL, EXACT2D])
def test_n_and_c_are_exchanged(operator: str) -> None:
    def change(y: Array) -> Array:
        if y.ndim == len(OPERATORS[operator].axes) + 1:
            return y
        return np.ascontiguousarray(y.swapaxes(0, 1)).reshape(y.shape)

    found = named(with_results(operator, change), operator)
    assert found <= {"reads C and N exchanged", "writes C and N exchanged"}


@pytest.mark.parametrize("operator", [POOL, f"{POOL}_backward", UNPOOL, EXACT2D])
def test_wrong_here_and_there_is_not_named(operator: str) -> None:
    def change(y: Array) -> Array:
        flat = y.reshape(-1)
        flat[len(flat) * 2 // 3] = 3
        flat[len(flat) // 3] = 5
        return y

    run = golden.verify(with_results(operator, change), operator, level="quick", explain_seconds=60)
    assert run.cause is not None
    assert run.cause.kind == "unknown", run.text()


@pytest.mark.parametrize("operator", registry.representatives())
def test_a_right_kernel_has_no_cause(operator: str) -> None:
    run = golden.verify(getattr(acltwin, operator), operator, level="quick", explain_seconds=60)
    assert run.passed
    assert run.cause is None
