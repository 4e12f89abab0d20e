"""aclnnUpsampleNearest3d."""

from __future__ import annotations

from acltwin.ops.families.nearest import Upsampling

SPEC = Upsampling(
    "DHW",
    exact=False,
    dtypes=("float32", "float16", "bfloat16", "float64"),
    socs=("Ascend910B", "Ascend910_93", "Ascend910"),
    device_socs=("Ascend950",),
    scales_together=True,
    planned_in="upsample_volume",
).operator("upsample_nearest3d", "aclnnUpsampleNearest3d", "aclnn_upsample_nearest_3d.h")
