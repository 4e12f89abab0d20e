"""aclnnAdaptiveMaxPool2dBackward."""

from dataclasses import replace

from acltwin.ops.families.adaptive_max_pool import IMAGES
from acltwin.ops.spec import FLOATS, FROM_910B

SPEC = replace(
    IMAGES, dtypes=FLOATS, socs=FROM_910B, lacking=(), index_dtypes=("int64", "int32"), plane_limited=True
).gradient(
    "aclnnAdaptiveMaxPool2dBackward",
    IMAGES.scattered("two windows of two rows", (3, 2), (2, 1), {1: 0.4757, 4: 0.8231}),
)
