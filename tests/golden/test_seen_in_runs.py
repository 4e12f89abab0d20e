"""What a run says beside its verdict: facts that failing cases share, ties, races, layouts that nobody asked for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.judge.judge import OTHER_TIES

NEAREST2D, POOL2D, UNPOOL2D = "upsample_nearest2d", "max_pool2d_with_indices", "max_unpool2d_backward"


def spoilt(values: Any) -> Any:
    """A mistake that no model knows."""
    changed = np.array(values)
    flat = changed.reshape(-1)
    flat[3::7] = flat[: len(flat[3::7])]
    return changed


def test_what_failing_cases_share_is_the_cause_where_no_model_is() -> None:
    def kernel(input: Any, **arguments: Any) -> Any:
        right = acltwin.upsample_nearest2d(input, **arguments)
        return spoilt(right) if input.dtype == np.uint8 else right

    run = golden.verify(kernel, NEAREST2D, only=("frac-up/", "down/"), isolate=False, explain_seconds=2)
    assert "cause   only cases with dtype uint8" in run.text()


def test_skipped_cases_do_not_blur_what_failing_cases_share() -> None:
    """A kernel without data_format is not asked for channels-last cases; that says nothing about it."""

    def kernel(input: Any, output_size: Any, scales_h: float, scales_w: float) -> Any:
        flat = input if input.flags.c_contiguous else input.base.ravel()[: input.size].reshape(input.shape)
        return acltwin.upsample_nearest2d(flat, output_size, scales_h, scales_w)

    run = golden.verify(kernel, NEAREST2D, only=("frac-up", "down"), isolate=False, explain_seconds=5)
    assert any(record.verdict.problem for record in run.records)
    assert "cause   only cases with tensors that are views fail" in run.text()


def test_a_model_may_hold_for_one_dtype_alone() -> None:
    def kernel(input: Any, **arguments: Any) -> Any:
        right = acltwin.upsample_nearest2d(input, **arguments)
        return -right if input.dtype == np.float16 else right

    run = golden.verify(kernel, NEAREST2D, only=("frac-up/", "down/"), isolate=False)
    assert run.cause is not None
    assert run.cause.models[0].name == "negated"
    assert "only with dtype float16" in run.text()


def test_zero_signs_are_part_of_predictions_where_they_matter() -> None:
    def kernel(input: Any, **arguments: Any) -> Any:
        right = np.array(acltwin.upsample_nearest2d(input, **arguments))
        return np.where(right == 0, right.dtype.type(0), right)

    chosen = {"only": "frac-up/float32/special", "isolate": False}
    assert golden.verify(kernel, NEAREST2D, **chosen).passed
    run = golden.verify(kernel, NEAREST2D, **chosen, zero_sign=True, explain_seconds=5)
    assert not run.passed
    assert "cause   only the signs of zeros are wrong" in run.text()


def test_other_indices_of_equal_cells_are_told_and_may_be_refused() -> None:
    def kernel(input: Any, **arguments: Any) -> Any:
        values, _ = acltwin.max_pool2d_with_indices(input, **arguments)
        flipped = np.ascontiguousarray(input[..., ::-1, ::-1])
        _, places = acltwin.max_pool2d_with_indices(flipped, **arguments)
        height, width = input.shape[-2:]
        return values, (height * width - 1 - places[..., ::-1, ::-1]).astype(places.dtype)

    chosen = {"only": "apart/float32/ties", "isolate": False, "explain_seconds": 0}
    run = golden.verify(kernel, POOL2D, **chosen)
    assert run.passed
    assert f"note    {OTHER_TIES}" in run.text()
    assert not golden.verify(kernel, POOL2D, **chosen, ties="first").passed
    assert golden.verify(acltwin.max_pool2d_with_indices, POOL2D, **chosen, ties="first").passed


def test_a_kernel_without_formats_is_not_asked_for_them() -> None:
    def kernel(input: Any, output_size: Any, scales_h: float = 0.0, scales_w: float = 0.0) -> Any:
        return acltwin.upsample_nearest2d(input, output_size, scales_h, scales_w)

    run = golden.verify(kernel, NEAREST2D, only="frac-up", dtypes=("float32",), isolate=False)
    assert run.passed
    assert run.counts["skipped"] == 2
    assert "takes no data_format" in run.text()


def test_results_that_change_are_noticed() -> None:
    calls = itertools.count()

    def kernel(input: Any, **arguments: Any) -> Any:
        right = np.array(acltwin.upsample_nearest2d(input, **arguments))
        right.reshape(-1)[next(calls) % right.size] += 1
        return right

    run = golden.verify(kernel, NEAREST2D, only="frac-up/float32/coded", isolate=False, explain_seconds=1)
    assert "warning not deterministic: run again" in run.text()
    assert "--repeat 10" in run.text()


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_tensors_that_only_give_their_shape_hold_everything(value: float) -> None:
    special = [c for c in golden.cases(UNPOOL2D, dtypes=("float32",)) if c.fill == "special"]
    held = np.concatenate([case["input"].ravel() for case in special])
    assert (np.isnan(held) if np.isnan(value) else held == value).any()
