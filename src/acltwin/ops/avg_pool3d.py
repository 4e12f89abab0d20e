"""aclnnAvgPool3d."""

from acltwin.ops.families.average import VOLUMES

SPEC = VOLUMES.forward("avg_pool3d", "aclnnAvgPool3d", header="aclnn_avgpool3d.h")
