"""aclnnMaxUnpool3d."""

from acltwin.ops.families.max_unpool import VOLUMES

SPEC = VOLUMES.forward("aclnnMaxUnpool3d", VOLUMES.four_maxima(range(5, 9), 1, 3, 8, 14))
