"""aclnnMaxPool2dWithMask."""

from acltwin.ops.families.masked_max_pool import IMAGES

CELLS = (0.0850, -0.5147, -0.0212, -0.5654, -0.3222, 0.5847, 1.7510, 0.9954, 0.1842, 0.8392, 0.4835, 0.9213)
SOURCE, POOLED, FOUR = IMAGES.plane_of(4, 3, values=CELLS), IMAGES.plane_of(2, 1), IMAGES.plane_of(2, 2)
SPEC = IMAGES.masking(
    "aclnnMaxPool2dWithMask",
    IMAGES.sample(
        "the mask begins with two indices of 4 bytes",
        {"self": SOURCE, "out": POOLED, "indices": IMAGES.mask(POOLED, 4)},
        (CELLS[0], CELLS[6]),
        (0, 0, 0, 0, 6, 0, 0, 0, *[0] * 248),
    ),
    IMAGES.sample(
        "a kernel of one cell sets bits instead",
        {"self": SOURCE, "kernelSize": (1, 1), "out": FOUR, "indices": IMAGES.mask(POOLED, 1)},
        (CELLS[0], CELLS[2], CELLS[6], CELLS[8]),
        (*[-1] * 32, *[0] * 32),
    ),
)
