"""Gradient of 3-D nearest upsampling.

Upsampling copies each input cell to several output cells. Its gradient goes the other way: each input cell gets the
sum of the gradients of its copies. Along one axis, input cell ``i`` owns the output cells from ``b(i)`` up to, not
including, ``b(i + 1)`` with ``b(i) = min(ceil(i * s), output size)`` and ``s = output size / input size``.

Args:
    grad_out: gradient of the upsampled tensor, 5-D; float32, float16, bfloat16 or float64. 16-bit sums are taken in
        float32.
    output_size: D, H, W of ``grad_out``.
    input_size: N, C, D, H, W of the result; for ``data_format="NDHWC"`` also N, D, H, W, C.
    scales_d, scales_h, scales_w: the factors of the forward pass, if it was called with factors; 0 or None: not
        given. ``rule="device"`` uses them only if all three are given.
    data_format: order of the axes of ``grad_out`` and the result.
    rule: who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.
    out: where to write the result, instead of a new array.

Returns:
    The gradient of the input, an array of the same kind and dtype as ``grad_out``.

>>> import numpy as np
>>> grad_out = np.arange(1, 4, dtype=np.float32).reshape(1, 1, 1, 1, 3)
>>> upsample_nearest3d_backward(grad_out, (1, 1, 3), (1, 1, 1, 1, 2)).ravel().tolist()
[3.0, 3.0]
"""

from __future__ import annotations

from acltwin.ops._upsample_backward import limit_rules, volume_gradient
from acltwin.ops.spec import OpSpec

_SOCS = ("Ascend910B", "Ascend910_93", "Ascend910")
_DEVICE_SOCS = ("Ascend950",)
_PARTS = volume_gradient(("float32", "float16", "bfloat16", "float64"))

SPEC = OpSpec(
    name="upsample_nearest3d_backward",
    c_name="aclnnUpsampleNearest3dBackward",
    header="aclnn_upsample_nearest_3d_backward.h",
    summary="Gradient of 3-D nearest upsampling: each input cell sums the gradients of its copies.",
    formula="gradInput[n,c,i] = sum of gradOut[n,c,o] for o in [b(i), b(i+1)), b(i) = min(ceil(i*s), outSize)",
    arguments=_PARTS.arguments,
    socs=_SOCS,
    device_socs=_DEVICE_SOCS,
    valid=_PARTS.valid,
    rules=_PARTS.rules(_SOCS, _DEVICE_SOCS, limit_rules(_PARTS)),
    samples=(_PARTS.sample,),
    family="upsample",
    partner="upsample_nearest3d",
    is_gradient=True,
    aten="upsample_nearest3d_backward",
    mode="nearest",
    scales_together=_PARTS.scales_together,
    data_formats=_PARTS.orders,
    has_map_rule=True,
)
