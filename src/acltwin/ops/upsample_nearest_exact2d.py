"""2-D nearest-exact upsampling."""

from __future__ import annotations

from collections.abc import Sequence

from acltwin import _core
from acltwin.ops._arrays import Array, DataFormat2d, MapRule
from acltwin.ops._upsample_forward import Upsampling
from acltwin.ops.spec import OpSpec

_SOCS = ("Ascend910B", "Ascend910_93")
_DEVICE_SOCS = ("Ascend950",)
_PARTS = Upsampling("HW", ("float32", "float16", "bfloat16", "uint8"), array_dtypes=("float64",))

SPEC = OpSpec(
    name="upsample_nearest_exact2d",
    c_name="aclnnUpsampleNearestExact2d",
    header="aclnn_upsample_nearest_exact2d.h",
    summary="2-D nearest-exact upsampling: each output cell copies the input cell under its centre.",
    formula="out[n,c,o] = self[n,c,min(floor((o + 0.5)*t), inSize - 1)], t = 1/scale or inSize/outSize",
    arguments=_PARTS.arguments,
    socs=_SOCS,
    device_socs=_DEVICE_SOCS,
    valid=_PARTS.valid,
    rules=_PARTS.rules(_SOCS, _DEVICE_SOCS),
    samples=(_PARTS.sample,),
    family="upsample",
    partner="upsample_nearest_exact2d_backward",
    is_gradient=False,
    axes="HW",
    data_formats=("NCHW", "NHWC"),
    has_map_rule=True,
    is_exact=True,
)


def upsample_nearest_exact2d(
    input: Array,
    output_size: Sequence[int],
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: DataFormat2d = "NCHW",
    rule: MapRule = "device",
    out: Array | None = None,
) -> Array:
    """2-D nearest-exact upsampling.

    Each output cell copies the input cell that lies under its centre. Along one axis, output cell ``o`` copies input
    cell ``min(floor((o + 0.5) * t), input size - 1)`` with ``t = 1 / scale``, or ``input size / output size`` where no
    scale is given.

    Args:
        input: the tensor to enlarge, 4-D; float32, float16, bfloat16, float64 or uint8. Elements are
            copied as they are.
        output_size: H, W of the result. It may also be smaller than the input.
        scales_h, scales_w: the factors, result size / input size; each on its own; 0 or None: not
            given.
        data_format: order of the axes of ``input`` and the result.
        rule: who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.
        out: where to write the result, instead of a new array.

    Returns:
        The enlarged tensor, an array of the same kind and dtype as ``input``.

    >>> import numpy as np
    >>> image = np.array([1, 2, 3], np.uint8).reshape(1, 1, 1, 3)
    >>> upsample_nearest_exact2d(image, (1, 4)).ravel().tolist()
    [1, 2, 2, 3]
    """
    return _core.upsample_nearest_exact2d(  # type: ignore[no-any-return]
        input, output_size, scales_h, scales_w, data_format, rule, out
    )
