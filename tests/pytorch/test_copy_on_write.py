"""A lazy clone shares memory until somebody writes. Who only reads must not make PyTorch copy it."""

from __future__ import annotations

from typing import Any

import pytest

import acltwin
from acltwin.ops import OPERATORS
from support.lazy import Lazy, acltwin_torch, torch
from support.torch_calls import NAMES, calls_of

aten = Lazy("acltwin.torch._aten")


def is_lazy(tensor: torch.Tensor) -> bool:
    return bool(torch._C._is_cow_tensor(tensor))


def _lazy(value: Any) -> Any:
    """A lazy clone of a copy: of memory that is not PyTorch's own there is none."""
    if not isinstance(value, torch.Tensor):
        return value
    return torch._lazy_clone(value.clone(memory_format=torch.preserve_format))


def _tensors(values: Any) -> list[torch.Tensor]:
    return [value for value in values if isinstance(value, torch.Tensor)]


@pytest.mark.parametrize("name", [name for name in NAMES if OPERATORS[name].aten])
def test_replaced_operators_leave_their_inputs_shared(name: str) -> None:
    (counterpart,) = (one for one in aten.COUNTERPARTS.values() if one.spec.name == name)
    for call in calls_of(name):
        if call.modes.get("rule") == "device":
            continue
        values = dict(zip(counterpart.order, call.arguments, strict=False))
        ours = [values.get(place, default) for place, default in enumerate(counterpart.defaults)]
        usual = [value.long() if torch.is_tensor(value) and not value.is_floating_point() else value for value in ours]
        arguments = [_lazy(value) for value in usual]
        with acltwin_torch.replaced() as report:
            results = counterpart.operator(*arguments)
        assert report.operators[counterpart.name].taken == 1
        assert all(is_lazy(tensor) for tensor in _tensors(arguments))
        torch.testing.assert_close(results, counterpart.operator(*usual))


@pytest.mark.parametrize("name", NAMES)
def test_our_own_operators_leave_theirs_shared(name: str) -> None:
    for call in calls_of(name):
        arguments = [_lazy(value) for value in call.arguments]
        results = call.operator(*arguments, **call.modes)
        assert all(is_lazy(tensor) for tensor in _tensors(arguments))
        torch.testing.assert_close(results, call.run(), rtol=0, atol=0)


def test_gradients_leave_what_flows_into_them_shared() -> None:
    functions = torch.nn.functional
    leaf = torch.randn(1, 2, 4, 4, 4)
    for function in (
        lambda x: functions.max_pool3d(x, 2),
        lambda x: functions.interpolate(x, scale_factor=2.0),
        lambda x: functions.interpolate(x, scale_factor=2.0, mode="nearest-exact"),
        lambda x: functions.max_unpool3d(*functions.max_pool3d(x, 2, return_indices=True), 2),
    ):
        tensor = torch._lazy_clone(leaf).requires_grad_()
        with acltwin_torch.replaced():
            result = function(tensor)
            gradient = torch._lazy_clone(torch.randn(result.shape))
            (got,) = torch.autograd.grad(result, tensor, gradient)
        assert is_lazy(tensor)
        assert is_lazy(gradient)
        reference = leaf.clone().requires_grad_()
        (expected,) = torch.autograd.grad(function(reference), reference, gradient)
        torch.testing.assert_close(got, expected)


def test_a_part_of_a_lazy_clone_is_read_where_it_is() -> None:
    volume = torch.randn(3, 2, 4, 4, 4)
    part = torch._lazy_clone(volume)[1:, :, 1:3]
    with acltwin_torch.replaced():
        result = torch.nn.functional.interpolate(part, scale_factor=2.0)
    assert is_lazy(part)
    assert torch.equal(result, torch.nn.functional.interpolate(volume[1:, :, 1:3], scale_factor=2.0))


def test_what_is_written_becomes_a_tensor_of_its_own() -> None:
    source = torch.zeros(1, 1, 2, 2)
    out = torch._lazy_clone(source)
    acltwin.upsample_nearest2d(torch.ones(1, 1, 1, 1), (2, 2), out=out)
    assert out.sum() == 4
    assert source.sum() == 0
