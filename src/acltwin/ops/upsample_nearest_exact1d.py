"""aclnnUpsampleNearestExact1d."""

from acltwin.ops.families.upsampling import Upsampling
from acltwin.ops.spec import FROM_910B

SPEC = Upsampling(
    "L",
    filter="nearest-exact",
    dtypes=("float32", "float16", "bfloat16", "uint8"),
    socs=FROM_910B,
    formats=("NCL", "ND"),
    scale_names=("scales",),
    lacking=(("Ascend950", "uint8"),),
    other_formats_refused=True,
    batch_needed=True,
).forward("aclnnUpsampleNearestExact1d")
