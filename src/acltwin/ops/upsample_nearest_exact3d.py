"""3-D nearest-exact upsampling.

Each output cell copies the input cell that lies under its centre. Along one axis, output cell ``o`` copies input
cell ``min(floor((o + 0.5) * t), input size - 1)`` with ``t = 1 / scale``, or ``input size / output size`` where no
scale is given.

Args:
    input: the tensor to enlarge, 5-D; floats, integers of up to 64 bits or bool, such as images, scans and masks.
        Elements are copied as they are.
    output_size: D, H, W of the result, or one size for all axes. It may also be smaller than the input.
    scales_d, scales_h, scales_w: the factors, result size / input size; 0 or None: not given.
        ``rule="device"`` uses them only if all three are given.
    scale_factor: result size / input size, one number or one per axis, instead of ``output_size``: sizes are
        rounded down, and the factors are used as scales.
    data_format: order of the axes of ``input`` and the result.
    rule: who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.
    out: where to write the result, instead of a new array.

Returns:
    The enlarged tensor, an array of the same kind and dtype as ``input``.

>>> import numpy as np
>>> image = np.array([1, 2, 3], np.float32).reshape(1, 1, 1, 1, 3)
>>> upsample_nearest_exact3d(image, (1, 1, 4)).ravel().tolist()
[1.0, 2.0, 2.0, 3.0]
"""

from __future__ import annotations

from acltwin.ops._upsample_forward import OUTPUT_SIZE_SCALE, Upsampling
from acltwin.ops.spec import OpSpec

_SOCS = ("Ascend910B", "Ascend910_93")
_DEVICE_SOCS = ("Ascend950",)
_PARTS = Upsampling("DHW", ("float32", "float16", "bfloat16"), ("float64",), scales_together=True)

SPEC = OpSpec(
    name="upsample_nearest_exact3d",
    c_name="aclnnUpsampleNearestExact3d",
    header="aclnn_upsample_nearest_exact3d.h",
    summary="3-D nearest-exact upsampling: each output cell copies the input cell under its centre.",
    formula="out[n,c,o] = self[n,c,min(floor((o + 0.5)*t), inSize - 1)], t = 1/scale or inSize/outSize",
    arguments=_PARTS.arguments,
    socs=_SOCS,
    device_socs=_DEVICE_SOCS,
    valid=_PARTS.valid,
    rules=_PARTS.rules(_SOCS, _DEVICE_SOCS, (OUTPUT_SIZE_SCALE,)),
    samples=(_PARTS.sample,),
    family="upsample",
    partner="upsample_nearest_exact3d_backward",
    is_gradient=False,
    aten="_upsample_nearest_exact3d",
    mode="nearest-exact",
    scales_together=_PARTS.scales_together,
    data_formats=_PARTS.orders,
    has_map_rule=True,
    empty_succeeds_first=_PARTS.empty_succeeds_first,
)
