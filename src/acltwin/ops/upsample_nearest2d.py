"""2-D nearest upsampling.

Each output cell copies one input cell. Along one axis, output cell ``o`` copies input cell
``min(floor(o * t), input size - 1)`` with ``t = 1 / scale``, or ``input size / output size`` where no scale is
given.

Args:
    input: the tensor to enlarge, 4-D; floats, integers of up to 64 bits or bool, such as images, scans and masks.
        Elements are copied as they are.
    output_size: H, W of the result, or one size for all axes. It may also be smaller than the input.
    scales_h, scales_w: the factors, result size / input size; 0 or None: not given. ``rule="device"`` uses them, in
        float32, only if both are given, and never for float64 and uint8. It ignores one where the size stays and,
        in small images, where it doubles.
    scale_factor: result size / input size, one number or one per axis, instead of ``output_size``: sizes are
        rounded down, and the factors are used as scales.
    data_format: order of the axes of ``input`` and the result.
    rule: who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.
    out: where to write the result, instead of a new array.

Returns:
    The enlarged tensor, an array of the same kind and dtype as ``input``.

>>> import numpy as np
>>> image = np.array([1, 2, 3], np.uint8).reshape(1, 1, 1, 3)
>>> upsample_nearest2d(image, (1, 4)).ravel().tolist()
[1, 1, 2, 3]
"""

from __future__ import annotations

from acltwin.ops._upsample_forward import Upsampling
from acltwin.ops.spec import SOCS, OpSpec

_PARTS = Upsampling(
    "HW",
    ("float32", "float16", "bfloat16", "float64", "uint8"),
    scale_kind="float",
    scales_together=True,
    empty_succeeds_first=True,
    other_formats_refused=True,
)

SPEC = OpSpec(
    name="upsample_nearest2d",
    c_name="aclnnUpsampleNearest2dV2",
    header="aclnn_upsample_nearest_2d_v2.h",
    summary="2-D nearest upsampling: each output cell copies the input cell at or before its own place.",
    formula="out[n,c,o] = self[n,c,min(floor(o*t), inSize - 1)], t = 1/scale or inSize/outSize",
    arguments=_PARTS.arguments,
    socs=SOCS,
    valid=_PARTS.valid,
    rules=_PARTS.rules(SOCS),
    samples=(_PARTS.sample,),
    family="upsample",
    partner="upsample_nearest2d_backward",
    is_gradient=False,
    aten="upsample_nearest2d",
    mode="nearest",
    scales_together=_PARTS.scales_together,
    unscaled_dtypes=("float64", "uint8"),
    axes="HW",
    data_formats=_PARTS.orders,
    has_map_rule=True,
    empty_succeeds_first=_PARTS.empty_succeeds_first,
)
