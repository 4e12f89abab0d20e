"""aclnnAdaptiveMaxPool3dBackward: before Ascend950 it takes only int32 indices."""

from acltwin.ops.families.adaptive_max_pool import VOLUMES

PLANE, POOLED = VOLUMES.tensor(2, 2, 2, batch=(1, 1)), VOLUMES.tensor(1, 1, 1, batch=(1, 1), values=(0.4757,))
INDICES = POOLED.but(dtype="int32", values=(6,))
SPEC = VOLUMES.gradient(
    "adaptive_max_pool3d",
    "aclnnAdaptiveMaxPool3dBackward",
    VOLUMES.sample(
        "one window whose maximum is cell 6",
        {"gradOutput": POOLED, "self": PLANE, "indices": INDICES, "gradInput": PLANE},
        (0, 0, 0, 0, 0, 0, 0.4757, 0),
    ),
)
