"""aclnnUpsampleNearestExact3d."""

from acltwin.ops.families.upsampling import OUTPUT_SIZE_SCALE, Upsampling

SPEC = Upsampling(
    "DHW",
    filter="nearest-exact",
    socs=("Ascend910B", "Ascend910_93"),
    device_socs=("Ascend950",),
    scales_together=True,
    planned_in="upsample_volume",
).forward("aclnnUpsampleNearestExact3d", extra=(OUTPUT_SIZE_SCALE,))
