"""aclnnMaxPool2dWithIndices."""

from __future__ import annotations

from acltwin.ops.families.max_pool import IMAGES

SPEC = IMAGES.forward(
    "max_pool2d_with_indices",
    "aclnnMaxPool2dWithIndices",
    "aclnn_max_pool2d_with_indices.h",
    "max_pool2d_with_indices_backward",
    "max_pool2d_with_indices",
)
