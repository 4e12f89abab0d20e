"""aclnnUpsampleNearestExact1d."""

from __future__ import annotations

from acltwin.ops.families.nearest import Upsampling

SPEC = Upsampling(
    "L",
    exact=True,
    dtypes=("float32", "float16", "bfloat16", "uint8"),
    socs=("Ascend950", "Ascend910_93", "Ascend910B"),
    array_dtypes=("float64",),
    formats=("NCL", "ND"),
    scale_names=("scales",),
    lacking=(("Ascend950", "uint8"),),
    other_formats_refused=True,
    batch_needed=True,
).operator("upsample_nearest_exact1d", "aclnnUpsampleNearestExact1d", "aclnn_upsample_nearest_exact1d.h")
