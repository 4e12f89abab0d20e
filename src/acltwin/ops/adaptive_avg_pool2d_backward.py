"""aclnnAdaptiveAvgPool2dBackward, which takes any format."""

from acltwin.ops.families.average import Average

IMAGES = Average("HW")
PLANE = IMAGES.tensor(4, 2, batch=(1, 1))
SPEC = IMAGES.adaptive_gradient(
    "adaptive_avg_pool2d",
    "aclnnAdaptiveAvgPool2dBackward",
    IMAGES.sample(
        "windows of two rows, which overlap",
        {"gradOutput": IMAGES.tensor(3, 2, batch=(1, 1), values=range(1, 7)), "self": PLANE, "out": PLANE},
        (0.5, 1, 2, 3, 4, 5, 2.5, 3),
    ),
)
