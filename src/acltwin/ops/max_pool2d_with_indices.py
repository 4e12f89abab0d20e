"""aclnnMaxPool2dWithIndices."""

from acltwin.ops.families.max_pool import IMAGES

SPEC = IMAGES.forward("aclnnMaxPool2dWithIndices")
