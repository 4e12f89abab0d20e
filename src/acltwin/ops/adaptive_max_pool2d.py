"""aclnnAdaptiveMaxPool2d."""

from acltwin.ops.families.adaptive_max_pool import IMAGES

SPEC = IMAGES.forward("adaptive_max_pool2d", "aclnnAdaptiveMaxPool2d", IMAGES.four_windows)
