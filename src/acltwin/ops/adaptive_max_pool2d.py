"""aclnnAdaptiveMaxPool2d."""

from __future__ import annotations

from acltwin.ops.families.adaptive_max_pool import IMAGES, sample_of

SPEC = IMAGES.pooling("adaptive_max_pool2d", "aclnnAdaptiveMaxPool2d", sample_of(IMAGES))
