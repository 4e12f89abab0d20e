"""aclnnAvgPool2dBackward."""

from __future__ import annotations

from acltwin.ops.families.average import IMAGES

SPEC = IMAGES.gradient("aclnnAvgPool2dBackward", "aclnn_avgpool2d_backward.h")
