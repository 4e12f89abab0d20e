"""aclnnUpsampleNearest3dBackward."""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops.families.nearest_gradient import VOLUMES, limit_rules

_VOLUMES = replace(
    VOLUMES,
    exact=False,
    dtypes=("float32", "float16", "bfloat16", "float64"),
    array_dtypes=(),
    socs=("Ascend910B", "Ascend910_93", "Ascend910"),
)
SPEC = _VOLUMES.operator(
    "upsample_nearest3d",
    "aclnnUpsampleNearest3dBackward",
    "aclnn_upsample_nearest_3d_backward.h",
    extra=limit_rules(_VOLUMES),
)
