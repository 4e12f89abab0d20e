"""aclnnMaxUnpool2d."""

from acltwin.ops.families.max_unpool import IMAGES

SPEC = IMAGES.forward("aclnnMaxUnpool2d", IMAGES.four_maxima(range(1, 5), 3, 8, 11, 13))
