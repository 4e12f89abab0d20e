"""aclnnUpsampleNearest3d."""

from acltwin.ops.families.upsampling import Upsampling

SPEC = Upsampling(
    "DHW",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    socs=("Ascend910B", "Ascend910_93", "Ascend910"),
    device_socs=("Ascend950",),
    scales_together=True,
    planned_in="upsample_volume",
).forward("aclnnUpsampleNearest3d")
