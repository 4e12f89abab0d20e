"""Averages over windows and their gradients: as the reference says, as PyTorch says, and adjoint to each other."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import acltwin
from acltwin import reference
from acltwin.ops import OPERATORS
from support import registry
from support.lazy import torch
from support.libraries import to_torch
from support.values import Array

FORWARD = registry.names(is_gradient=False, family="average")
UNITS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
DTYPES = ("float32", "float16", "bfloat16", "float64")


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


@st.composite
def averages(draw: st.DrawFn, operator: str) -> tuple[Array, tuple[Any, ...]]:
    """A tensor and the parameters of an average of it."""
    axes = registry.axes_of(operator)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from(DTYPES))
    batch = draw(st.sampled_from([(1, 1), (2, 3), (3,), (1, 17)]))
    if "adaptive" in operator:
        plane = [int(n) for n in rng.integers(1, 24, axes)]
        parameters: tuple[Any, ...] = (tuple(int(n) for n in rng.integers(1, 12, axes)),)
    else:
        kernel = [int(n) for n in rng.integers(1, 6, axes)]
        stride = [int(n) for n in rng.integers(1, 5, axes)]
        padding = [int(rng.integers(0, k // 2, endpoint=True)) for k in kernel]
        plane = [k + int(rng.integers(0, 14)) for k in kernel]
        plane[-1] += int(rng.choice([0, 0, 40]))
        divisor = draw(st.sampled_from([None, None, 3, -7]))
        parameters = (kernel, stride, padding, draw(st.booleans()), draw(st.booleans()), divisor)
    values: Array = (rng.standard_normal((*batch, *plane)) * 4).astype(dtype_of(dtype))
    if draw(st.booleans()) and len(batch) == 2:
        values = np.moveaxis(np.ascontiguousarray(np.moveaxis(values, 1, -1)), -1, 1)
    return values, parameters


def assert_close(actual: Array, expected: Array, magnitude: Array, terms: int) -> None:
    """Sums of so many terms in float32 (float64 for float64), rounded once."""
    wide = UNITS["float64" if actual.dtype == np.float64 else "float32"]
    tiny = 2.0**-24 if actual.dtype == np.float16 else 1e-37
    bound = (terms + 8) * wide * magnitude + 2 * UNITS[actual.dtype.name] * np.abs(expected) + tiny
    error = np.abs(actual.astype(np.float64) - expected)
    assert np.all(error <= bound), float(np.max(error / np.maximum(bound, 1e-300)))


def gradient_parameters(operator: str, parameters: tuple[Any, ...]) -> tuple[Any, ...]:
    return () if "adaptive" in operator else parameters


@pytest.mark.parametrize("operator", FORWARD)
@given(data=st.data())
def test_averages_and_gradients_are_those_of_the_reference(operator: str, data: st.DataObject) -> None:
    values, parameters = data.draw(averages(operator))
    note(f"{values.dtype} {values.shape} {parameters}")
    backward = OPERATORS[operator].partner
    forward_reference, backward_reference = reference.FUNCTIONS[operator], reference.FUNCTIONS[backward]
    result = getattr(acltwin, operator)(values, *parameters)
    terms = int(np.prod(values.shape[-registry.axes_of(operator) :]))
    expected = forward_reference(values, *parameters)
    assert result.shape == expected.shape
    assert_close(result, expected, np.abs(forward_reference(np.abs(values), *parameters)), terms)
    rng = np.random.default_rng(terms)
    grad: Array = rng.standard_normal(result.shape).astype(values.dtype)
    others = gradient_parameters(operator, parameters)
    found = getattr(acltwin, backward)(grad, values, *others)
    magnitude = np.abs(backward_reference(np.abs(grad), values, *others))
    assert_close(found, backward_reference(grad, values, *others), magnitude, int(np.prod(result.shape)))


@pytest.mark.parametrize("operator", FORWARD)
@given(data=st.data())
def test_gradients_are_adjoint(operator: str, data: st.DataObject) -> None:
    values, parameters = data.draw(averages(operator))
    values = values.astype(np.float64)
    result = getattr(acltwin, operator)(values, *parameters)
    grad = np.random.default_rng(3).standard_normal(result.shape)
    others = gradient_parameters(operator, parameters)
    found = getattr(acltwin, OPERATORS[operator].partner)(grad, values, *others)
    scale = np.abs(result * grad).sum() + 1
    assert abs((result * grad).sum() - (values * found).sum()) < 1e-12 * scale


@pytest.mark.parametrize("operator", FORWARD)
@given(data=st.data())
@settings(deadline=None)
def test_averages_and_gradients_are_pytorchs(operator: str, data: st.DataObject) -> None:
    values, parameters = data.draw(averages(operator))
    values = values.astype(np.float64)  # of which the order of the additions shows least
    note(f"{values.shape} {parameters}")
    spec = OPERATORS[operator]
    theirs = registry.aten(spec)(to_torch(values), *parameters)
    ours = getattr(acltwin, operator)(values, *parameters)
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-12, atol=1e-12)
    grad = torch.randn(theirs.shape, dtype=torch.float64)
    others = gradient_parameters(operator, parameters)
    their_gradient = registry.aten(OPERATORS[spec.partner])(grad, to_torch(values), *others)
    found = getattr(acltwin, spec.partner)(grad.numpy(), values, *others)
    np.testing.assert_allclose(found, their_gradient.numpy(), rtol=1e-12, atol=1e-12)
