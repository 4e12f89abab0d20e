"""aclnnAvgPool3dBackward."""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops.families.average import VOLUMES

SPEC = replace(VOLUMES, kernel_within_input=False).gradient(
    "aclnnAvgPool3dBackward", "aclnn_avgpool3d_backward.h", "output"
)
