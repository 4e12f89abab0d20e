"""aclnnMaxPool3dWithArgmax."""

from __future__ import annotations

from acltwin.ops.families.max_pool import MaxPool

SPEC = MaxPool("DHW").forward(
    "max_pool3d_with_argmax",
    "aclnnMaxPool3dWithArgmax",
    "aclnn_max_pool3d_with_argmax.h",
    "max_pool3d_with_argmax_backward",
    "max_pool3d_with_indices",
)
