"""Workspaces, as docs/acl/lifetimes.md says: which operators never need one, and that others do."""

from __future__ import annotations

import pytest

from acltwin import acl
from acltwin.ops import INTERFACES, OpSpec
from acltwin.ops.spec import TensorCase
from support.acl_door import Door


def never_needs_one(spec: OpSpec) -> bool:
    return spec.is_gradient and spec.family == "unpool"


@pytest.mark.parametrize("spec", list(filter(never_needs_one, INTERFACES.values())), ids=lambda spec: spec.name)
def test_some_operators_never_need_one(door: Door, spec: OpSpec) -> None:
    for call in (spec.valid, *(sample.call for sample in spec.samples)):
        size, executor, ret = door.plan(spec, call.arguments)
        assert (size, ret) == (0, 0)
        assert acl.destroy_acl_op_executor(executor) == 0


@pytest.mark.parametrize("axes", [2, 3])
def test_gradients_of_max_pooling_need_one_for_16_bits(door: Door, axes: int) -> None:
    """Their sums are float32."""
    spec = INTERFACES[f"adaptive_max_pool{axes}d_backward"]
    large, small = (2, 4, *(8,) * axes), (2, 4, *(3,) * axes)
    names = [argument.name for argument in spec.arguments if argument.kind == "tensor"]
    grad_output, source, indices, grad_input = names
    shapes = {grad_output: small, source: large, indices: small, grad_input: large}
    tensors = {}
    for name, shape in shapes.items():
        valid = spec.valid.arguments[name]
        assert isinstance(valid, TensorCase)
        dtype = valid.dtype if name == indices else "float16"
        tensors[name] = TensorCase(dtype, shape, valid.format)
    size, executor, ret = door.plan(spec, {**spec.valid.arguments, **tensors})
    assert ret == 0, acl.get_recent_err_msg()
    assert size > 0
    assert acl.destroy_acl_op_executor(executor) == 0
