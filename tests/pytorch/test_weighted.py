"""Weighted sums in float32 keep to a bound that PyTorch's own keep to, and bytes are PyTorch's."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from acltwin.ops import OPERATORS
from support import registry
from support.lazy import acltwin_torch, torch
from support.lazy import functional as pytorch

FORWARD = registry.names(is_gradient=False, family="linear")
UNIT = 2.0**-24


def _bound(sizes: tuple[int, ...], peak: float) -> float:
    """How far from the exact result rounding may lead: a place among n cells is off by up to n units, which moves that
    part of a value from one cell to the next; weights, products and additions are a few more. Four times that.
    """
    return UNIT * peak * sum(4 * (size + 4) for size in sizes)


@pytest.mark.parametrize("operator", FORWARD)
@settings(max_examples=settings().max_examples // 3)
@given(data=st.data())
def test_float32_is_as_close_to_exact_results_as_pytorch_is(operator: str, data: st.DataObject) -> None:
    spec = OPERATORS[operator]
    axes = len(spec.axes)
    sizes, target = (
        tuple(data.draw(st.lists(st.integers(2, most), min_size=axes, max_size=axes)))
        for most in (60 // axes, 90 // axes)
    )
    align, seed = data.draw(st.booleans()), data.draw(st.integers(0, 2**32 - 1))
    note(f"{sizes} {target} {align} {seed}")
    generator = torch.Generator().manual_seed(seed)
    tensor = torch.randn(1, 2, *sizes, generator=generator)
    gradient = torch.randn(1, 2, *target, generator=generator)
    forward, backward = registry.aten(spec), registry.aten(OPERATORS[spec.partner])
    shape = (1, 2, *sizes)
    exact = forward(tensor.double(), target, align, *[None] * axes)
    exact_gradient = backward(gradient.double(), target, shape, align, *[None] * axes)
    operators = torch.ops.acltwin
    bound = _bound(sizes, float(tensor.abs().max()))
    more = math.prod(
        n / m + 1 for m, n in zip(sizes, target, strict=True)
    )  # cells of the result that a cell is part of
    bounds = bound, _bound(sizes, float(gradient.abs().max())) * more
    theirs = forward(tensor, target, align), backward(gradient, target, shape, align)
    ours = (
        getattr(operators, operator)(tensor, target, align),
        getattr(operators, spec.partner)(gradient, target, shape, align),
    )
    for who, results in (("PyTorch", theirs), ("acltwin", ours)):
        for result, wanted, limit in zip(results, (exact, exact_gradient), bounds, strict=True):
            assert float((result - wanted).abs().max()) <= limit, who


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_bytes_are_weighted_by_pytorch(mode: str, antialias: bool) -> None:
    """Its weights of bytes are integers; nothing else would give its bits."""
    image = torch.randint(0, 256, (2, 3, 13, 17), dtype=torch.uint8, generator=torch.Generator().manual_seed(7))
    options: dict[str, Any] = {"size": (20, 9), "mode": mode, "antialias": antialias}
    for tensor in (image, image.to(memory_format=torch.channels_last)):
        expected = pytorch.interpolate(tensor, **options)
        assert torch.equal(acltwin_torch.interpolate(tensor, **options), expected)
        with acltwin_torch.replaced() as report:
            assert torch.equal(pytorch.interpolate(tensor, **options), expected)
        assert [calls.taken for calls in report.operators.values()] == [0]
