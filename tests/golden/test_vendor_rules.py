"""Every vendor's rule at its thresholds, from both sides."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from acltwin import golden
from acltwin.golden.judge.vendor_rules import vendor_rule
from support.lazy import torch

KINDS = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}


def _passes(rule: str, found: np.ndarray, expected: np.ndarray, dtype: str = "float32") -> bool:
    """Compared in float64, so that thresholds can be met exactly; the dtype only chooses the table."""
    return vendor_rule(rule)(found, expected, dtype).passed


@pytest.mark.parametrize(
    ("rule", "dtype", "rtol", "atol", "limit"),
    [
        ("mixed@ttk", "float16", 2.0**-9, 2.0**-9, 0.1),
        ("mixed@ttk", "bfloat16", 2.0**-6, 2.0**-6, 1.0),
        ("mixed@ttk", "float32", 2.0**-10, 2.0**-16, 1e-2),
        ("mixed@tilelang", "float16", 2.0**-9, 2.0**-14, 0.1),
        ("mixed@tilelang", "bfloat16", 2.0**-6, 2.0**-10, 1.0),
        ("mixed@tilelang", "float32", 2.0**-10, 2.0**-16, 1e-2),
    ],
)
def test_mixed(rule: str, dtype: str, rtol: float, atol: float, limit: float) -> None:
    expected = np.ones(200)
    edge = atol + rtol
    assert _passes(rule, expected + edge, expected, dtype)
    some = expected.copy()
    some[:2] += edge * 1.01  # 1 % may miss
    assert _passes(rule, some, expected, dtype)
    some[2] += edge * 1.01
    assert not _passes(rule, some, expected, dtype)
    one = expected.copy()
    one[0] += limit * 0.999
    assert _passes(rule, one, expected, dtype)
    one[0] = 1 + limit * 1.001
    assert not _passes(rule, one, expected, dtype)
    nan = expected.copy()
    nan[0] = np.nan
    assert not _passes(rule, nan, expected, dtype)


@pytest.mark.parametrize(("dtype", "threshold"), [("float16", 2.0**-10), ("bfloat16", 2.0**-7), ("float32", 2.0**-13)])
def test_stat_rel_err(dtype: str, threshold: float) -> None:
    expected = np.full(1000, 4.0)
    denominator = 4.0 + 1e-7
    assert _passes("stat_rel_err", expected + threshold * denominator * 0.999, expected, dtype)
    assert not _passes("stat_rel_err", expected + threshold * denominator * 1.001, expected, dtype)
    one = expected.copy()
    one[0] += 10 * threshold * denominator * 0.999
    assert _passes("stat_rel_err", one, expected, dtype)
    one[0] = 4.0 + 10 * threshold * denominator * 1.001
    assert not _passes("stat_rel_err", one, expected, dtype)


@pytest.mark.parametrize(
    ("dtype", "below", "atol"),
    [("float16", 2.0**-11, 2.0**-16), ("bfloat16", 2.0**-8, 2.0**-16), ("float32", 2.0**-14, 2.0**-30)],
)
def test_small_values_are_judged_by_their_absolute_error(dtype: str, below: float, atol: float) -> None:
    expected = np.full(100, 1.0)
    expected[0] = below / 2**20
    found = expected.copy()
    found[0] += atol
    assert not _passes("stat_rel_err", found, expected, dtype) or atol < 1e-8
    assert _passes("stat_rel_err+small", found, expected, dtype)
    found[0] = expected[0] + atol * 1.5 + 2e-6 * (dtype == "float32")
    assert not _passes("stat_rel_err+small", found, expected, dtype)
    large = expected.copy()
    large[1] = 2.0
    assert not _passes("stat_rel_err+small", large, expected, dtype)


@pytest.mark.parametrize(("dtype", "rtol"), [("float16", 1e-3), ("bfloat16", 1e-3), ("float32", 1e-4)])
def test_close(dtype: str, rtol: float) -> None:
    expected = np.ones(10_000)
    assert _passes("close", expected + rtol, expected, dtype)
    allowed = round(rtol * 10_000)
    found = expected.copy()
    found[:allowed] = 5.0
    assert _passes("close", found, expected, dtype)
    found[allowed] = 5.0
    assert not _passes("close", found, expected, dtype)


def test_close_lets_a_nan_pass_and_says_so() -> None:
    expected = np.ones(100_000, np.float32)
    found = expected.copy()
    found[0] = np.nan
    verdict = golden.compare(found, expected, rule="close")
    assert verdict.passed
    assert verdict.warnings == ("close lets 1 NaN or infinity pass as misses",)


@pytest.mark.parametrize(("dtype", "rtol"), [("float16", 1e-3), ("float32", 1e-4)])
def test_cosine(dtype: str, rtol: float) -> None:
    expected = np.array([1.0, 0.0])
    for angle, passes in ((np.arccos(1 - rtol * 0.99), True), (np.arccos(1 - rtol * 1.01), False)):
        assert _passes("cosine", np.array([np.cos(angle), np.sin(angle)]), expected, dtype) is passes
    assert _passes("cosine", 3 * expected, expected, dtype), "a wrong scale is not seen"
    assert not _passes("cosine", np.zeros(2), expected, dtype)


def test_binary() -> None:
    values = np.array([1.0, np.nan, -0.0], np.float32)
    assert _passes("binary", values, values.copy())
    assert not _passes("binary", np.array([1.0, np.nan, 0.0], np.float32), values)


@pytest.mark.parametrize(("dtype", "limit"), [("float16", 1e-3), ("float32", 1e-4)])
def test_rtol_equal(dtype: str, limit: float) -> None:
    expected = np.ones(10_000)
    allowed = round(limit * 10_000)
    found = expected.copy()
    found[:allowed] = 2.0
    assert _passes("rtol_equal", found, expected, dtype)
    found[allowed] = 2.0
    assert not _passes("rtol_equal", found, expected, dtype)
    small = np.full(10_000, 1e-6)
    assert _passes("rtol_equal", small * 2, small, dtype), "no absolute miss, so it passes"
    nan = expected.copy()
    nan[0] = np.nan
    assert not _passes("rtol_equal", nan, expected, dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_assert_close_is_torchs(rng: np.random.Generator, dtype: str) -> None:
    kind = getattr(torch, dtype)
    expected = torch.from_numpy(rng.standard_normal(500)).to(kind)
    for factor in (0, 1e-8, 1e-7, 1e-6, 2e-6, 1e-5, 1e-3, 1e-2, 2e-2):
        found = (expected.double() * (1 + factor)).to(kind)
        try:
            torch.testing.assert_close(found, expected)
            passes = True
        except AssertionError:
            passes = False
        assert _passes("assert_close", found.double().numpy(), expected.double().numpy(), dtype) is passes


@pytest.mark.parametrize("rule", golden.rule_names())
def test_integers_are_judged_by_their_bits(rule: str) -> None:
    expected = np.arange(1000, dtype=np.int16)
    found = expected.copy()
    assert golden.compare(found, expected, rule=rule).passed
    found[0] += 1
    assert not golden.compare(found, expected, rule=rule).passed


def test_a_rule_that_passes_what_is_impossible_warns() -> None:
    case = next(case for case in golden.cases("max_unpool3d_backward", level="quick") if case.dtype == "float16")
    right = np.array(case.expected().value.astype(np.float16))
    right.ravel()[0] = np.nextafter(right.ravel()[0], np.float16(np.inf))
    verdict = case.judge(right, "mixed@ttk")
    assert verdict.passed
    assert verdict.bound_wrong == 1
    assert verdict.warnings == ("passes mixed@ttk, but 1 cells are impossible for any float32 sum",)


def test_a_number_that_is_none_fails_under_every_rule() -> None:
    case = next(case for case in golden.cases("max_unpool3d_backward") if case.name == "cells2100/float32/coded")
    found = np.array(case.expected().value.astype(np.float32))
    found.ravel()[0] = np.nan
    for rule in golden.rule_names():
        assert not case.judge(found, rule).passed


@pytest.mark.parametrize("rule", golden.rule_names()[1:])
def test_a_case_that_zeros_pass_is_named(rule: str) -> None:
    zeros = np.zeros(100, np.float32)
    verdict = golden.compare(zeros, zeros, rule=rule)
    assert verdict.passed
    assert verdict.warnings == ("this case cannot fail under this rule: a result of zeros passes",)
    assert not golden.compare(np.ones(100, np.float32), np.ones(100, np.float32), rule=rule).warnings


@pytest.mark.parametrize(
    ("rule", "atol"), [("mixed@ttk", 2.0**-16), ("close", 1e-8), ("rtol_equal", 1e-4), ("assert_close", 1e-5)]
)
def test_values_below_a_rules_atol_are_named(rule: str, atol: float) -> None:
    for factor, blind in ((0.9, True), (1.2, False)):
        small = np.full(100, factor * atol, np.float32)
        warnings = golden.compare(small, small, rule=rule).warnings
        assert any("cannot fail" in warning for warning in warnings) is blind


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="no rule is called 'mixed'; expected one of bound, mixed@ttk"):
        golden.compare(np.zeros(1), np.zeros(1), rule="mixed")
