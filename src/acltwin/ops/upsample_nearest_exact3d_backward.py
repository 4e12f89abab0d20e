"""The gradient of 3-D nearest-exact upsampling."""

from __future__ import annotations

from collections.abc import Sequence

from acltwin import _core
from acltwin.ops import _upsample3d
from acltwin.ops._arrays import Array, DataFormat, MapRule
from acltwin.ops.spec import OpSpec

_DTYPES = ("float32", "float16", "bfloat16")
_SOCS = ("Ascend910B", "Ascend910_93")
_DEVICE_SOCS = ("Ascend950",)

SPEC = OpSpec(
    name="upsample_nearest_exact3d_backward",
    c_name="aclnnUpsampleNearestExact3dBackward",
    header="aclnn_upsample_nearest_exact3d_backward.h",
    summary="Gradient of 3-D nearest-exact upsampling: each input cell sums the gradients of its copies.",
    formula="gradInput[n,c,i] = sum of gradOut[n,c,o] for o in [b(i), b(i+1)), b(i) = min(ceil(i*s - 0.5), outSize)",
    arguments=_upsample3d.arguments(_DTYPES, array_dtypes=("float64",)),
    socs=_SOCS,
    device_socs=_DEVICE_SOCS,
    valid=_upsample3d.VALID,
    rules=_upsample3d.rules(_DTYPES, _SOCS, _DEVICE_SOCS, extra=(_upsample3d.FACTOR_RULE,)),
    samples=(_upsample3d.SAMPLE,),
    family="upsample",
    partner="upsample_nearest_exact3d",
    is_gradient=True,
    data_formats=("NCDHW", "NDHWC"),
    has_map_rule=True,
    is_exact=True,
)


def upsample_nearest_exact3d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_d: float | None = 0.0,
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
    out: Array | None = None,
) -> Array:
    """Gradient of 3-D nearest-exact upsampling.

    Upsampling copies each input cell to several output cells. Its gradient goes the other way: each input cell gets the
    sum of the gradients of its copies. Along one axis, input cell ``i`` owns the output cells from ``b(i)`` up to, not
    including, ``b(i + 1)`` with ``b(i) = min(ceil(i * s - 0.5), output size)`` and ``s = output size / input size``.

    Args:
        grad_out: gradient of the upsampled tensor, 5-D; float32, float16, bfloat16 (summed in float32) or float64.
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
    >>> grad_out = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    >>> upsample_nearest_exact3d_backward(grad_out, (2, 2, 2), (1, 1, 1, 1, 2)).ravel().tolist()
    [16.0, 20.0]
    """
    return _core.upsample_nearest_exact3d_backward(  # type: ignore[no-any-return]
        grad_out, output_size, input_size, scales_d, scales_h, scales_w, data_format, rule, out
    )
