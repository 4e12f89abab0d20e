"""aclnnAvgPool2d."""

from dataclasses import replace

from acltwin.ops.families.average import IMAGES

PLURAL = replace(IMAGES, stride="strides", padding="paddings")
SPEC = PLURAL.forward("aclnnAvgPool2d")
