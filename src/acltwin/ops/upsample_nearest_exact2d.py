"""aclnnUpsampleNearestExact2d."""

from acltwin.ops.families.upsampling import Upsampling
from acltwin.ops.spec import EVERYWHERE

SPEC = Upsampling(
    "HW",
    filter="nearest-exact",
    dtypes=("float32", "float16", "bfloat16", "uint8"),
    socs=("Ascend910B", "Ascend910_93"),
    device_socs=("Ascend950",),
    formats=("NCHW", "NHWC", "ND"),
    empty_succeeds_first=True,
    negative_scales=EVERYWHERE,
    scale_note='``rule="device"`` ignores one where the size stays.',
).forward("aclnnUpsampleNearestExact2d")
