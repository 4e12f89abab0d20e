"""Gradients, gradients of gradients, and derivatives along a tangent, against finite differences and PyTorch."""

from __future__ import annotations

import gc
import weakref

import pytest

import acltwin
from acltwin.ops import OPERATORS
from support.lazy import acltwin_torch, torch
from support.torch_calls import NAMES, TorchCall, all_calls, calls_of


def _exact(call: TorchCall) -> bool:
    """With the device's rule a gradient is what the device computes, which at a border is not the exact transpose."""
    return call.modes.get("rule") != "device"


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    for call in filter(_exact, calls_of(name, "float64")):
        tensor = call.arguments[0].detach().clone().requires_grad_()
        assert torch.autograd.gradcheck(call.run_first, (tensor,), check_forward_ad=True, check_batched_grad=True)
        assert torch.autograd.gradgradcheck(call.run_first, (tensor,), fast_mode=True)


@pytest.mark.parametrize("rule", ["torch", "device"])
@pytest.mark.parametrize(
    "kind", [spec.name for spec in OPERATORS.values() if spec.has_map_rule and not spec.is_gradient]
)
def test_the_gradient_follows_the_rule_of_the_forward_pass(kind: str, rule: str) -> None:
    """26 cells to 14, or 2 to 41: there the two rules differ."""
    spec = OPERATORS[kind]
    cells = (2, 41) if spec.is_exact else (26, 14)
    sizes = [(1,) * (len(spec.axes) - 1) + (count,) for count in cells]
    tensor = torch.randn(1, 1, *sizes[0], requires_grad=True)
    gradient = torch.randn(1, 1, *sizes[1])
    getattr(torch.ops.acltwin, kind)(tensor, sizes[1], rule=rule).backward(gradient)
    expected = getattr(acltwin, spec.partner)(gradient, sizes[1], tuple(tensor.shape), rule=rule)
    assert torch.equal(tensor.grad, expected)  # type: ignore[arg-type]


def test_gradients_are_recorded_only_where_they_are_wanted() -> None:
    for call in all_calls():
        tensor = call.arguments[0].clone().requires_grad_()
        assert call.run_first(tensor).requires_grad
        with torch.no_grad():
            assert not call.run_first(tensor).requires_grad
        with torch.inference_mode():
            assert call.run_first(tensor).is_inference()
        assert not call.run_first(tensor.detach()).requires_grad


def test_indices_have_no_gradient() -> None:
    for call in calls_of("max_pool3d_with_argmax"):
        values, indices = call.run(call.arguments[0].clone().requires_grad_())
        assert values.requires_grad
        assert not indices.requires_grad


def test_the_values_of_the_input_are_not_kept() -> None:
    """PyTorch keeps the tensor that was pooled; here its shape is enough."""
    leaf = torch.randn(1, 1, 4, 4, 4, requires_grad=True)
    for function in (
        lambda x: acltwin_torch.max_pool3d(x, 2),
        lambda x: acltwin_torch.interpolate(x, scale_factor=2),
        lambda x: torch.ops.acltwin.max_pool3d_with_argmax(x, [2] * 3, [], [0] * 3, [1] * 3, False)[0],
    ):
        between = leaf + 1
        memory = weakref.ref(between.untyped_storage())
        result = function(between)
        del between
        gc.collect()
        assert memory() is None
        result.sum().backward()


def test_an_unused_first_result_has_no_gradient() -> None:
    tensor = torch.randn(1, 1, 4, 4, 4, requires_grad=True)
    values, _ = torch.ops.acltwin.max_pool3d_with_argmax(tensor, [2] * 3, [], [0] * 3, [1] * 3, False)
    (gradient,) = torch.autograd.grad((tensor * 2).sum() + 0 * values.detach().sum(), tensor)
    assert torch.equal(gradient, torch.full_like(tensor, 2.0))


def test_tangents_and_gradients_can_be_mixed() -> None:
    for call in filter(_exact, all_calls("float64")):
        tangent = torch.randn_like(call.arguments[0])
        with torch.autograd.forward_ad.dual_level():
            primal = call.arguments[0].clone().requires_grad_()
            result = torch.autograd.forward_ad.unpack_dual(
                call.run_first(torch.autograd.forward_ad.make_dual(primal, tangent))
            )
        assert result.primal.requires_grad
        if OPERATORS[call.name].is_linear:
            torch.testing.assert_close(result.tangent, call.run_first(tangent))


def test_gathering_the_same_cell_twice_adds_its_gradients() -> None:
    planes = torch.arange(8.0).reshape(1, 1, 2, 2, 2).requires_grad_()
    indices = torch.tensor([6, 6, 1]).reshape(1, 1, 1, 1, 3)
    sizes = ((2, 2, 2), (1, 1, 1), (0, 0, 0))
    gathered = torch.ops.acltwin.max_unpool3d_backward(planes, torch.zeros(indices.shape), indices, *sizes)
    gathered.backward(torch.tensor([10.0, 5.0, 1.0]).reshape(indices.shape))
    assert planes.grad.ravel().tolist() == [0, 1, 0, 0, 0, 0, 15, 0]  # type: ignore[union-attr]
