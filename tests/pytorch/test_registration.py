"""The operators keep every promise that PyTorch asks of a registered operator."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

import acltwin
import acltwin.torch
from support.torch_calls import NAMES, all_calls, calls_of


def test_the_registry_holds_the_operators_and_no_others() -> None:
    assert set(NAMES) == set(acltwin.torch._define.OPERATORS)
    for name in NAMES:
        assert torch._C._dispatch_has_kernel_for_dispatch_key(f"acltwin::{name}", "CPU")


@pytest.mark.parametrize("name", NAMES)
def test_pytorch_finds_no_fault(name: str) -> None:
    """Schema, fake kernels (strides too), autograd registration, and tracing with dynamic shapes."""
    for call in calls_of(name):
        first, *others = call.arguments
        layout_kept = first.clone(memory_format=torch.preserve_format).requires_grad_()
        torch.library.opcheck(call.operator, (layout_kept, *others), call.modes)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_every_float_dtype_is_computed_and_traced(dtype: torch.dtype) -> None:
    for call in all_calls(dtype):
        torch.library.opcheck(call.operator, call.arguments, call.modes, test_utils="test_faketensor")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("upsample_nearest2d")])
def test_an_operator_is_the_array_function(name: str) -> None:
    for call in calls_of(name):
        modes = {"rule": "torch", **call.modes} if name.startswith("upsample") else call.modes
        expected = getattr(acltwin, name)(*call.arguments, **modes)
        torch.testing.assert_close(call.run(), expected, rtol=0, atol=0)


def test_only_those_who_ask_for_it_pay_for_pytorch() -> None:
    code = "import sys, acltwin; assert not {'torch', 'acltwin.torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
