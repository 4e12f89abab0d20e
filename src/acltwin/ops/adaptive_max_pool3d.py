"""aclnnAdaptiveMaxPool3d: before Ascend950 it takes no ND tensors, and only int32 indices."""

from __future__ import annotations

from acltwin.ops.families.adaptive_max_pool import VOLUMES, sample_of

SPEC = VOLUMES.pooling("adaptive_max_pool3d", "aclnnAdaptiveMaxPool3d", sample_of(VOLUMES))
