"""aclnnMaxPool2dWithIndices."""

from acltwin.ops.families.max_pool import IMAGES

SPEC = IMAGES.forward("max_pool2d_with_indices", "aclnnMaxPool2dWithIndices")
