"""aclnnAdaptiveMaxPool3d: before Ascend950 it takes no ND tensors, and only int32 indices."""

from acltwin.ops.families.adaptive_max_pool import VOLUMES

SPEC = VOLUMES.forward("aclnnAdaptiveMaxPool3d")
