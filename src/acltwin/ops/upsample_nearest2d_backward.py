"""aclnnUpsampleNearest2dBackward."""

from __future__ import annotations

from acltwin.ops.families.nearest_gradient import UpsamplingGradient
from acltwin.ops.spec import SOCS

SPEC = UpsamplingGradient(
    "HW",
    exact=False,
    dtypes=("float32", "float16", "bfloat16"),
    socs=SOCS,
    array_dtypes=("float64",),
    lacking=(("Ascend910", "bfloat16"),),
    input_size_note="With NHWC tensors N, H, W, C.",
    input_size_follows_format=True,
).operator("upsample_nearest2d", "aclnnUpsampleNearest2dBackward", "aclnn_upsample_nearest_2d_backward.h")
