"""aclnnAdaptiveAvgPool3dBackward."""

from acltwin.ops.adaptive_avg_pool3d import VOLUMES

GRAD, VOLUME = VOLUMES.plane_of(2, 2, 2, values=range(1, 9)), VOLUMES.plane_of(2, 2, 4)
HALVES = tuple(value / 2 for value in range(1, 9) for _ in range(2))
CHANGES = {"gradOutput": GRAD, "self": VOLUME, "out": VOLUME}
SPEC = VOLUMES.adaptive_gradient(
    "aclnnAdaptiveAvgPool3dBackward", VOLUMES.sample("each gradient is halved over two columns", CHANGES, HALVES)
)
