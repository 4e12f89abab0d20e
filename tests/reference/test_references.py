"""The references against PyTorch in float64, and against what a gradient is: the adjoint of the forward pass."""

from __future__ import annotations

import numpy as np
import pytest

from acltwin import reference
from acltwin.ops import OPERATORS
from support.lazy import functional, torch
from support.libraries import PYTORCH
from support.registry import axes_of

SIZES = [((4, 6, 8), (2, 3, 4)), ((3, 5, 7), (2, 3, 4)), ((2, 3, 4), (3, 5, 7)), ((1, 1, 1), (1, 1, 1))]
SCALES = [(None, None, None), (1.7, 2.3, 0.6)]


def random(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape)


@pytest.mark.parametrize("operator", PYTORCH)
@pytest.mark.parametrize(("outer", "inner"), SIZES)
@pytest.mark.parametrize("scales", SCALES)
def test_upsample_by_the_torch_rule(
    operator: str,
    outer: tuple[int, ...],
    inner: tuple[int, ...],
    scales: tuple[float | None, ...],
    rng: np.random.Generator,
) -> None:
    axes = axes_of(operator)
    call = (outer[-axes:], (2, 3, *inner[-axes:]), *scales[-axes:])
    grad_out = random(rng, 2, 3, *outer[-axes:])
    result = getattr(reference, operator)(grad_out, *call, rule="torch")
    assert result.dtype == np.float64
    np.testing.assert_allclose(
        result, PYTORCH[operator](torch.from_numpy(grad_out), *call).numpy(), rtol=1e-13, atol=1e-14
    )


@pytest.mark.parametrize("operator", PYTORCH)
def test_upsample_by_the_device_rule_is_the_adjoint_of_copying(operator: str, rng: np.random.Generator) -> None:
    """<upsampled x, g> = <x, gradient of g>, with the upsampling written cell by cell from the tables."""
    axes, exact = axes_of(operator), OPERATORS[operator].is_exact
    outer, inner = (5, 7, 9)[-axes:], (2, 3, 4)[-axes:]
    x, g = random(rng, 2, 3, *inner), random(rng, 2, 3, *outer)
    upsampled = x
    for axis, (i, o) in enumerate(zip(inner, outer, strict=True), start=2):
        counts = np.diff(reference.interval_table(i, o, 0.0, exact))
        upsampled = np.repeat(upsampled, counts, axis)
    assert upsampled.shape == g.shape
    gradient = getattr(reference, operator)(g, outer, x.shape)
    np.testing.assert_allclose((upsampled * g).sum(), (x * gradient).sum(), rtol=1e-12)


def test_ndhwc_is_ncdhw_with_the_channels_moved(rng: np.random.Generator) -> None:
    grad_out = random(rng, 2, 3, 4, 5, 6)
    expected = reference.upsample_nearest3d_backward(grad_out, (4, 5, 6), (2, 3, 2, 2, 3))
    for input_size in ((2, 3, 2, 2, 3), (2, 2, 2, 3, 3)):
        channels_last = np.moveaxis(grad_out, 1, 4)
        result = reference.upsample_nearest3d_backward(channels_last, (4, 5, 6), input_size, data_format="NDHWC")
        assert np.array_equal(np.moveaxis(result, 4, 1), expected)


def test_max_unpool3d_backward_is_pytorchs_gradient(rng: np.random.Generator) -> None:
    image = torch.from_numpy(random(rng, 2, 3, 4, 6, 8))
    pooled, indices = functional.max_pool3d(image, 2, return_indices=True)
    pooled = pooled.detach().requires_grad_()
    unpooled = functional.max_unpool3d(pooled, indices, 2)
    grad = torch.from_numpy(random(rng, *unpooled.shape))
    unpooled.backward(grad)
    result = reference.max_unpool3d_backward(grad.numpy(), pooled.detach().numpy(), indices.numpy(), (4, 6, 8), 2, 0)
    assert np.array_equal(result, pooled.grad.numpy())


def test_max_unpool3d_backward_keeps_integers(rng: np.random.Generator) -> None:
    grad = rng.integers(-9, 9, (2, 2, 2, 2)).astype(np.int8)
    indices = rng.integers(0, 8, (2, 1, 1, 3))
    result = reference.max_unpool3d_backward(grad, np.zeros((2, 1, 1, 3), np.int8), indices, (2, 2, 2), 1, 0)
    assert result.dtype == np.int8
    assert result[1, 0, 0, 2] == grad[1].ravel()[indices[1, 0, 0, 2]]


@pytest.mark.parametrize(
    "window",
    [(2, 2, 0, 1, False), (3, 2, 1, 1, True), (3, 1, 1, 1, False), ((1, 2, 3), (2, 1, 2), (0, 1, 1), 2, False)],
)
def test_max_pool3d_with_argmax_backward_is_pytorchs_gradient(window: tuple, rng: np.random.Generator) -> None:
    image = torch.from_numpy(random(rng, 2, 3, 6, 7, 8)).requires_grad_()
    pooled, indices = functional.max_pool3d(image, *window, return_indices=True)
    grad = torch.from_numpy(random(rng, *pooled.shape))
    pooled.backward(grad)
    result = reference.max_pool3d_with_argmax_backward(grad.numpy(), image.detach().numpy(), indices.numpy(), *window)
    np.testing.assert_allclose(result, image.grad.numpy(), rtol=1e-13, atol=1e-15)


def test_max_pool3d_with_argmax_backward_is_the_finite_difference(rng: np.random.Generator) -> None:
    image = rng.permutation(120).astype(np.float64).reshape(1, 2, 3, 4, 5)  # distinct values: no maximum changes place
    pooled, indices = functional.max_pool3d(torch.from_numpy(image), 2, 1, return_indices=True)
    grad = random(rng, *pooled.shape)
    result = reference.max_pool3d_with_argmax_backward(grad, image, indices.numpy(), 2, 1, 0, 1, False)
    step = 1e-3
    for place in rng.integers(0, image.size, 20):
        moved = image.copy()
        moved.ravel()[place] += step
        change = functional.max_pool3d(torch.from_numpy(moved), 2, 1).numpy() - pooled.numpy()
        np.testing.assert_allclose((change * grad).sum() / step, result.ravel()[place], atol=1e-8)
