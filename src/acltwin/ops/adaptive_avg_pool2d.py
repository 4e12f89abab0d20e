"""aclnnAdaptiveAvgPool2d."""

from acltwin.ops.families.average import Average

IMAGES = Average("HW", formats=("NCHW", "NCL"))
SOURCE, OUT = IMAGES.tensor(3, 3, batch=(2, 2), values=range(1, 37)), IMAGES.tensor(2, 2, batch=(2, 2))
AVERAGES = (3, 4, 6, 7, 12, 13, 15, 16, 21, 22, 24, 25, 30, 31, 33, 34)
SPEC = IMAGES.adaptive(
    "aclnnAdaptiveAvgPool2d",
    IMAGES.sample("windows of two by two cells, which overlap", {"self": SOURCE, "out": OUT}, AVERAGES),
)
