"""aclnnUpsampleNearestExact3dBackward."""

from __future__ import annotations

from acltwin.ops.families.nearest_gradient import FACTOR_RULE, VOLUMES, limit_rules

SPEC = VOLUMES.operator(
    "upsample_nearest_exact3d",
    "aclnnUpsampleNearestExact3dBackward",
    "aclnn_upsample_nearest_exact3d_backward.h",
    extra=(FACTOR_RULE, *limit_rules(VOLUMES)),
)
