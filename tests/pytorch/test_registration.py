"""The operators keep every promise that PyTorch asks of a registered operator."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import acltwin
from acltwin import _core
from acltwin.ops import OPERATORS
from support import registry
from support.lazy import Lazy, torch
from support.preloaded import output_with_pytorch
from support.thorough import THOROUGH
from support.torch_calls import NAMES, all_calls, calls_of

_define = Lazy("acltwin.torch._define")


def test_the_registry_holds_the_operators_and_no_others() -> None:
    assert {f"acltwin::{name}" for name in NAMES} == {
        name for name in torch._C._dispatch_get_all_op_names() if name.startswith("acltwin::")
    }
    assert set(NAMES) >= set(OPERATORS)
    for name in NAMES:
        assert torch._C._dispatch_has_kernel_for_dispatch_key(f"acltwin::{name}", "CPU")


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")  # of what opcheck itself makes
@pytest.mark.parametrize("name", registry.representatives())
def test_pytorch_finds_no_fault(name: str) -> None:
    """Schema, fake kernels (strides too), autograd registration; and tracing with dynamic shapes, which takes long."""
    quick = ("test_schema", "test_autograd_registration", "test_faketensor")
    for number, call in enumerate(calls_of(name)):
        first, *others = call.arguments
        layout_kept = first.clone(memory_format=torch.preserve_format).requires_grad_()
        chosen = {"test_utils": quick} if number and not THOROUGH else {}
        torch.library.opcheck(call.operator, (layout_kept, *others), call.modes, **chosen)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_every_float_dtype_is_computed_and_traced(dtype: str) -> None:
    for call in all_calls(dtype):
        torch.library.opcheck(call.operator, call.arguments, call.modes, test_utils="test_faketensor")


@pytest.mark.parametrize("ceil_mode", [False, True])
def test_windows_of_padding_are_counted_without_data(ceil_mode: bool) -> None:
    image, window = torch.ones(1, 2, 4, 6), ((2, 2), (2, 2), (0, 1, 2, 1), 1, ceil_mode)
    expected = torch.ops.acltwin.max_pool(image, *window)
    assert torch.ops.acltwin.max_pool(image.to("meta"), *window).shape == expected.shape == (1, 2, 3 - ceil_mode, 4)


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_the_array_function(name: str) -> None:
    for call in calls_of(name):
        modes = {"rule": "torch", **call.modes} if OPERATORS[name].has_map_rule else call.modes
        expected = getattr(acltwin, name)(*call.arguments, **modes)
        torch.testing.assert_close(call.run(), expected, rtol=0, atol=0)


def _tensors(results: Any) -> tuple[torch.Tensor, ...]:
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("hands_over_recording", [True, False])
def test_a_kernel_takes_tensors_that_record(
    name: str, hands_over_recording: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever calls it sees to the gradients. An older PyTorch must be asked for detached tensors."""
    monkeypatch.setattr(_define, "_HANDS_OVER_RECORDING", hands_over_recording)
    kernel = _define.kernel_of(OPERATORS[name], _core.below_autograd)
    for call in calls_of(name):
        first, *others = call.arguments
        got = _tensors(kernel(first.clone(memory_format=torch.preserve_format).requires_grad_(), *others, **call.modes))
        assert not any(result.requires_grad for result in got)
        torch.testing.assert_close(got, _tensors(call.run()), rtol=0, atol=0)


def test_what_may_be_left_out_of_an_array_function_may_be_left_out_here() -> None:
    volume = torch.randn(1, 2, 4, 4, 4, requires_grad=True)
    operator = torch.ops.acltwin.max_pool3d_with_argmax.default
    values, indices = operator(volume, 2)
    torch.testing.assert_close((values, indices), acltwin.max_pool3d_with_argmax(volume.detach(), 2))
    torch.library.opcheck(operator, (volume, 2))
    torch.library.opcheck(torch.ops.acltwin.max_unpool3d.default, (values.detach(), indices, (4, 4, 4)))


NEWCOMER = """
import dataclasses
import acltwin, torch
from acltwin.ops import OPERATORS

for old in ("upsample_nearest_exact2d", "upsample_nearest_exact2d_backward"):
    spec, new = OPERATORS[old], old.replace("upsample_nearest_exact", "enlarge")
    partner = spec.partner.replace("upsample_nearest_exact", "enlarge")
    OPERATORS[new] = dataclasses.replace(spec, name=new, partner=partner)
    for door in (acltwin._core.below_autograd, acltwin._core.usual):
        door[new] = door[old]

import acltwin.torch
image = torch.randn(1, 2, 3, 4, dtype=torch.float64, requires_grad=True)
torch.library.opcheck(torch.ops.acltwin.enlarge2d.default, (image, (5, 6)))
torch.library.opcheck(torch.ops.acltwin.enlarge2d_backward.default, (image, (3, 4), (1, 2, 2, 2)))
assert torch.autograd.gradcheck(lambda x: torch.ops.acltwin.enlarge2d(x, (5, 6)), image)
torch.vmap(lambda x: torch.ops.acltwin.enlarge2d_backward(x, (3, 4), (1, 2, 2, 2)))(image.detach()[None])
"""


def test_a_declared_operator_needs_nothing_else() -> None:
    output_with_pytorch(NEWCOMER)


def test_only_those_who_ask_for_it_pay_for_pytorch() -> None:
    code = "import sys, acltwin; assert not {'torch', 'acltwin.torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
