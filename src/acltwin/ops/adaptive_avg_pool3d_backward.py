"""aclnnAdaptiveAvgPool3dBackward."""

from acltwin.ops.adaptive_avg_pool3d import VOLUMES

VOLUME = VOLUMES.tensor(2, 2, 4, batch=(1, 1))
SPEC = VOLUMES.adaptive_gradient(
    "adaptive_avg_pool3d",
    "aclnnAdaptiveAvgPool3dBackward",
    VOLUMES.sample(
        "each gradient is halved over two columns",
        {"gradOutput": VOLUMES.tensor(2, 2, 2, batch=(1, 1), values=range(1, 9)), "self": VOLUME, "out": VOLUME},
        tuple(value / 2 for value in range(1, 9) for _ in range(2)),
    ),
)
