"""aclnnAvgPool2dBackward."""

from acltwin.ops.families.average import IMAGES

SPEC = IMAGES.gradient("avg_pool2d", "aclnnAvgPool2dBackward", header="aclnn_avgpool2d_backward.h")
