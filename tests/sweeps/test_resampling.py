"""Linear and cubic resampling and their gradients: as the reference says, as PyTorch says, adjoint to each other."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

import acltwin
from acltwin import reference
from acltwin.ops import OPERATORS
from support import registry
from support.lazy import torch
from support.libraries import to_torch
from support.values import Array

FORWARD = registry.names(is_gradient=False, family="linear")
UNITS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


@st.composite
def resamplings(draw: st.DrawFn, operator: str, dtypes: tuple[str, ...] = tuple(UNITS)) -> tuple[Array, Any, Any]:
    """A tensor, a size, and the other parameters."""
    axes = registry.axes_of(operator)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    name = draw(st.sampled_from(dtypes))
    dtype = np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
    batch = draw(st.sampled_from([(1, 1), (2, 3), (1, 17)]))
    most = (9, 14, 40)[-axes:]
    plane = [int(rng.integers(1, n)) for n in most]
    factor = draw(st.sampled_from([None, None, 2.0, 1.5, 0.5, 3.7]))
    sizes = [
        max(1, int(n * factor)) if factor else int(rng.integers(1, 2 * m)) for n, m in zip(plane, most, strict=True)
    ]
    given = factor and draw(st.booleans()) and all(int(n * factor) == s for n, s in zip(plane, sizes, strict=True))
    scales = (factor,) * axes if given else ((-1.0,) if operator == "upsample_linear1d" else (None,) * axes)
    values: Array = (rng.standard_normal((*batch, *plane)) * 4).astype(dtype)
    if draw(st.booleans()):
        values = np.moveaxis(np.ascontiguousarray(np.moveaxis(values, 1, -1)), -1, 1)
    return values, tuple(sizes), (draw(st.booleans()), *scales)


def assert_close(actual: Array, expected: Array, magnitude: float, terms: int) -> None:
    """Sums of so many products in float32 (float64 for float64), with weights of that type, rounded once."""
    wide = UNITS["float64" if actual.dtype == np.float64 else "float32"]
    tiny = 2.0**-24 if actual.dtype == np.float16 else 1e-37
    bound = (terms + 16) * wide * magnitude + 2 * UNITS[actual.dtype.name] * np.abs(expected) + tiny
    error = np.abs(actual.astype(np.float64) - expected)
    assert np.all(error <= bound), float(np.max(error / bound))


@pytest.mark.parametrize("operator", FORWARD)
@given(data=st.data())
def test_results_and_gradients_are_those_of_the_reference(operator: str, data: st.DataObject) -> None:
    values, size, others = data.draw(resamplings(operator))
    rule = data.draw(st.sampled_from(["device", "torch"]))
    note(f"{values.dtype} {values.shape} {size} {others} {rule}")
    backward = OPERATORS[operator].partner
    result = getattr(acltwin, operator)(values, size, *others, rule=rule)
    expected = reference.FUNCTIONS[operator](values, size, *others, rule=rule)
    assert result.shape == expected.shape
    peak = 8 * float(np.abs(values).max())
    assert_close(result, expected, peak, 8)
    grad: Array = np.random.default_rng(5).standard_normal(result.shape).astype(values.dtype)
    found = getattr(acltwin, backward)(grad, size, values.shape, *others, rule=rule)
    expected = reference.FUNCTIONS[backward](grad, size, values.shape, *others, rule=rule)
    share = max(1.0, grad.size / values.size)
    assert_close(found, expected, 8 * float(np.abs(grad).max()) * share, 64)


@pytest.mark.parametrize("operator", FORWARD)
@given(data=st.data())
def test_gradients_are_adjoint(operator: str, data: st.DataObject) -> None:
    values, size, others = data.draw(resamplings(operator, ("float64",)))
    result = getattr(acltwin, operator)(values, size, *others, rule="torch")
    grad = np.random.default_rng(3).standard_normal(result.shape)
    found = getattr(acltwin, OPERATORS[operator].partner)(grad, size, values.shape, *others, rule="torch")
    scale = np.abs(result * grad).sum() + np.abs(values * found).sum() + 1
    assert abs((result * grad).sum() - (values * found).sum()) < 1e-13 * scale


@pytest.mark.parametrize("operator", FORWARD)
@given(data=st.data())
def test_results_and_gradients_are_pytorchs(operator: str, data: st.DataObject) -> None:
    values, size, (align, *scales) = data.draw(resamplings(operator, ("float64", "float32")))
    scales = [None if scale == -1.0 else scale for scale in scales]
    note(f"{values.dtype} {values.shape} {size} {align} {scales}")
    assume(not (operator.endswith("_aa") and size[-1] == 1))  # of one column, PyTorch repeats the first row
    spec, tensor = OPERATORS[operator], to_torch(np.ascontiguousarray(values))
    theirs = registry.aten(spec)(tensor, size, align, *scales)
    ours = getattr(acltwin, operator)(values, size, align, *scales, rule="torch")
    close = 1e-12 if values.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=close, atol=8 * close)
    grad = torch.randn(theirs.shape, dtype=theirs.dtype)
    their_gradient = registry.aten(OPERATORS[spec.partner])(grad, size, values.shape, align, *scales)
    found = getattr(acltwin, spec.partner)(grad.numpy(), size, values.shape, align, *scales, rule="torch")
    many = max(1.0, grad.numel() / values.size)
    np.testing.assert_allclose(found, their_gradient.numpy(), rtol=close, atol=8 * many * close)


@pytest.mark.parametrize("operator", [name for name in FORWARD if not OPERATORS[name].antialias])
@pytest.mark.parametrize("grown", [0, 2], ids=["all sizes stay", "one size grows"])
def test_scales_of_sizes_that_stay_are_pytorchs(operator: str, grown: int) -> None:
    """The gradient of cubics copies where all sizes stay; nothing else of theirs does."""
    axes, spec = registry.axes_of(operator), OPERATORS[operator]
    values = torch.randn(1, 2, *(5, 6, 7)[-axes:], generator=torch.Generator().manual_seed(1))
    size, others = (*values.shape[2:-1], 7 + grown), (False, *(1.02,) * (axes - 1), 1.02 + grown / 7)
    ours = getattr(acltwin, operator)(values, size, *others, rule="torch")
    torch.testing.assert_close(ours, registry.aten(spec)(values, size, *others))
    grad = torch.randn(ours.shape, generator=torch.Generator().manual_seed(2))
    found = getattr(acltwin, spec.partner)(grad, size, values.shape, *others, rule="torch")
    expected = registry.aten(OPERATORS[spec.partner])(grad, size, values.shape, *others)
    torch.testing.assert_close(found, expected)
    by_definition = reference.FUNCTIONS[spec.partner](grad.numpy(), size, values.shape, *others, rule="torch")
    np.testing.assert_allclose(found.numpy(), by_definition, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("scale", "cells", "gradients", "used"), [(0.00515, 1000, 5, True), (150.7, 2, 301, False)])
def test_gradient_of_bilinear_uses_scales_up_to_100(scale: float, cells: int, gradients: int, used: bool) -> None:
    grad = np.random.default_rng(1).standard_normal((1, 1, 1, gradients)).astype(np.float32)
    sizes = (1, gradients), (1, 1, 1, cells)
    with_scale = acltwin.upsample_bilinear2d_backward(grad, *sizes, False, 1.0, scale)
    assert np.array_equal(with_scale, acltwin.upsample_bilinear2d_backward(grad, *sizes)) != used


@pytest.mark.parametrize("operator", FORWARD)
def test_gradients_agree_with_finite_differences(operator: str) -> None:
    axes, rng = registry.axes_of(operator), np.random.default_rng(11)
    values, size = rng.standard_normal((1, 2, *(3, 4, 5)[-axes:])), (5, 3, 7)[-axes:]
    function = getattr(acltwin, operator)
    grad = rng.standard_normal(function(values, size).shape)
    found = getattr(acltwin, OPERATORS[operator].partner)(grad, size, values.shape)
    for place in np.ndindex(values.shape):
        moved = values.copy()
        moved[place] += 0.5  # linear: any step is exact
        difference = ((function(moved, size) - function(values, size)) * grad).sum() / 0.5
        assert abs(difference - found[place]) < 1e-12
