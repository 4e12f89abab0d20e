"""aclnnMaxPool3dWithArgmaxBackward."""

from __future__ import annotations

from acltwin.ops.families.max_pool import MaxPool

SPEC = MaxPool("DHW").gradient(
    "max_pool3d_with_argmax_backward",
    "aclnnMaxPool3dWithArgmaxBackward",
    "aclnn_max_pool3d_with_argmax_backward.h",
    "max_pool3d_with_argmax",
    "max_pool3d_with_indices_backward",
)
