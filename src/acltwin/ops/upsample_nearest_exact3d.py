"""aclnnUpsampleNearestExact3d."""

from __future__ import annotations

from acltwin.ops.families.nearest import OUTPUT_SIZE_SCALE, Upsampling

SPEC = Upsampling(
    "DHW",
    exact=True,
    dtypes=("float32", "float16", "bfloat16"),
    socs=("Ascend910B", "Ascend910_93"),
    device_socs=("Ascend950",),
    array_dtypes=("float64",),
    scales_together=True,
    planned_in="upsample_volume",
).operator(
    "upsample_nearest_exact3d",
    "aclnnUpsampleNearestExact3d",
    "aclnn_upsample_nearest_exact3d.h",
    extra=(OUTPUT_SIZE_SCALE,),
)
