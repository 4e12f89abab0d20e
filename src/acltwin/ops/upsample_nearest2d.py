"""aclnnUpsampleNearest2dV2."""

from __future__ import annotations

from acltwin.ops.families.nearest import Upsampling
from acltwin.ops.spec import SOCS

SPEC = Upsampling(
    "HW",
    exact=False,
    dtypes=("float32", "float16", "bfloat16", "float64", "uint8"),
    socs=SOCS,
    scale_kind="float",
    scales_together=True,
    empty_succeeds_first=True,
    other_formats_refused=True,
    unscaled_dtypes=("float64", "uint8"),
    scale_note='``rule="device"`` uses them, in float32, only if both are given, and never for float64 and uint8. It '
    "ignores one where the size stays and, in small images, where it doubles.",
).operator("upsample_nearest2d", "aclnnUpsampleNearest2dV2", "aclnn_upsample_nearest_2d_v2.h")
