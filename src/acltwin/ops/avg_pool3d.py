"""aclnnAvgPool3d."""

from acltwin.ops.families.average import VOLUMES

SPEC = VOLUMES.forward("aclnnAvgPool3d")
