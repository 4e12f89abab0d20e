"""aclnnAdaptiveMaxPool2d."""

from acltwin.ops.families.adaptive_max_pool import IMAGES

SPEC = IMAGES.forward("aclnnAdaptiveMaxPool2d")
