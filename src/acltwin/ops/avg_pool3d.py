"""aclnnAvgPool3d."""

from __future__ import annotations

from acltwin.ops.families.average import VOLUMES

SPEC = VOLUMES.forward("aclnnAvgPool3d", "aclnn_avgpool3d.h")
