"""aclnnAdaptiveMaxPool3dBackward: before Ascend950 it takes only int32 indices."""

from acltwin.ops.families.adaptive_max_pool import VOLUMES

SPEC = VOLUMES.gradient("aclnnAdaptiveMaxPool3dBackward")
