"""aclnnAvgPool3dBackward: kernels may be larger than the input, and the result is called output."""

from dataclasses import replace

from acltwin.ops.families.average import VOLUMES

SPEC = replace(VOLUMES, kernel_within_input=False).gradient(
    "avg_pool3d", "aclnnAvgPool3dBackward", "output", header="aclnn_avgpool3d_backward.h"
)
