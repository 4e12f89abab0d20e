"""aclnnAvgPool2dBackward."""

from acltwin.ops.families.average import IMAGES

SPEC = IMAGES.gradient("aclnnAvgPool2dBackward")
