"""aclnnUpsampleNearest3dBackward."""

from dataclasses import replace

from acltwin.ops.families.upsampling_gradient import VOLUMES, limit_rules

SPEC = replace(
    VOLUMES,
    filter="nearest",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    socs=("Ascend910B", "Ascend910_93", "Ascend910"),
).gradient("aclnnUpsampleNearest3dBackward", extra=limit_rules(VOLUMES))
