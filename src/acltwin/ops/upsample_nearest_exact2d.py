"""aclnnUpsampleNearestExact2d."""

from __future__ import annotations

from acltwin.ops.families.nearest import Upsampling

SPEC = Upsampling(
    "HW",
    exact=True,
    dtypes=("float32", "float16", "bfloat16", "uint8"),
    socs=("Ascend910B", "Ascend910_93"),
    device_socs=("Ascend950",),
    array_dtypes=("float64",),
    formats=("NCHW", "NHWC", "ND"),
    empty_succeeds_first=True,
    negative_scales=("array", "documented", "device"),
    scale_note='``rule="device"`` ignores one where the size stays.',
).operator("upsample_nearest_exact2d", "aclnnUpsampleNearestExact2d", "aclnn_upsample_nearest_exact2d.h")
