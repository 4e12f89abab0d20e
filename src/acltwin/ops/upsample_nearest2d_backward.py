"""Gradient of 2-D nearest upsampling.

Upsampling copies each input cell to several output cells. Its gradient goes the other way: each input cell gets the
sum of the gradients of its copies. Along one axis, input cell ``i`` owns the output cells from ``b(i)`` up to, not
including, ``b(i + 1)`` with ``b(i) = min(ceil(i * s), output size)`` and ``s = output size / input size``.

Args:
    grad_out: gradient of the upsampled tensor, 4-D; float32, float16, bfloat16 (summed in float32) or float64.
    output_size: H, W of ``grad_out``.
    input_size: N, C, H, W of the result; for ``data_format="NHWC"`` also N, H, W, C.
    scales_h, scales_w: the factors of the forward pass, each on its own; 0 or None: not given.
    data_format: order of the axes of ``grad_out`` and the result.
    rule: who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.
    out: where to write the result, instead of a new array.

Returns:
    The gradient of the input, an array of the same kind and dtype as ``grad_out``.

>>> import numpy as np
>>> grad_out = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4)
>>> upsample_nearest2d_backward(grad_out, (2, 4), (1, 1, 1, 2)).ravel().tolist()
[14.0, 22.0]
"""

from __future__ import annotations

from acltwin.ops._upsample_backward import UpsamplingGradient
from acltwin.ops.spec import SOCS, OpSpec

_PARTS = UpsamplingGradient(
    "HW",
    ("float32", "float16", "bfloat16"),
    ("float64",),
    lacking=(("Ascend910", "bfloat16"),),
    input_size_note="With NHWC tensors N, H, W, C.",
)

SPEC = OpSpec(
    name="upsample_nearest2d_backward",
    c_name="aclnnUpsampleNearest2dBackward",
    header="aclnn_upsample_nearest_2d_backward.h",
    summary="Gradient of 2-D nearest upsampling: each input cell sums the gradients of its copies.",
    formula="gradInput[n,c,i] = sum of gradOut[n,c,o] for o in [b(i), b(i+1)), b(i) = min(ceil(i*s), outSize)",
    arguments=_PARTS.arguments,
    socs=SOCS,
    valid=_PARTS.valid,
    rules=_PARTS.rules(SOCS),
    samples=(_PARTS.sample,),
    family="upsample",
    partner="upsample_nearest2d",
    is_gradient=True,
    aten="upsample_nearest2d_backward",
    mode="nearest",
    axes="HW",
    data_formats=_PARTS.orders,
    input_size_follows_format=True,
    has_map_rule=True,
)
