"""aclnnAdaptiveAvgPool2dBackward, which takes any format."""

from acltwin.ops.families.average import Average

IMAGES = Average("HW")
GRAD, PLANE = IMAGES.plane_of(3, 2, values=range(1, 7)), IMAGES.plane_of(4, 2)
CHANGES, SHARES = {"gradOutput": GRAD, "self": PLANE, "out": PLANE}, (0.5, 1, 2, 3, 4, 5, 2.5, 3)
SPEC = IMAGES.adaptive_gradient(
    "aclnnAdaptiveAvgPool2dBackward", IMAGES.sample("windows of two rows, which overlap", CHANGES, SHARES)
)
