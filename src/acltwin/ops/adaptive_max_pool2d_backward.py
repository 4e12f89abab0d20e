"""aclnnAdaptiveMaxPool2dBackward."""

from dataclasses import replace

from acltwin.ops.families.adaptive_max_pool import IMAGES
from acltwin.ops.spec import FLOATS, FROM_910B

PLANE, POOLED = IMAGES.tensor(3, 2, batch=(1, 1)), IMAGES.tensor(2, 1, batch=(1, 1), values=(0.4757, 0.8231))
INDICES = POOLED.but(dtype="int64", values=(1, 4))
SPEC = replace(
    IMAGES, dtypes=FLOATS, socs=FROM_910B, lacking=(), index_dtypes=("int64", "int32"), plane_limited=True
).gradient(
    "adaptive_max_pool2d",
    "aclnnAdaptiveMaxPool2dBackward",
    IMAGES.sample(
        "two windows of two rows",
        {"gradOutput": POOLED, "self": PLANE, "indices": INDICES, "gradInput": PLANE},
        (0, 0.4757, 0, 0, 0.8231, 0),
    ),
)
