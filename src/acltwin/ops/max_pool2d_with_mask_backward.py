"""aclnnMaxPool2dWithMaskBackward."""

from acltwin.ops.families.masked_max_pool import IMAGES

PLANE, POOLED = IMAGES.plane_of(4, 3), IMAGES.plane_of(2, 1, values=(0.4757, 0.1726))
WINDOWS = IMAGES.plane_of(2, 2, values=range(1, 5))
BITS = IMAGES.mask(POOLED, 1).but(values=(*[-1.0] * 32, *[0.0] * 32))
SPEC = IMAGES.masking_gradient(
    "aclnnMaxPool2dWithMaskBackward",
    IMAGES.sample(
        "zeros name the first cell of the plane",
        {"gradOutput": POOLED, "self": PLANE, "indices": IMAGES.mask(POOLED, 4, 0), "gradInput": PLANE},
        (0.6483, *[0.0] * 11),
        tolerance=1e-6,
    ),
    IMAGES.sample(
        "with a kernel of one cell each gradient goes to the cell of its window",
        {"gradOutput": WINDOWS, "self": PLANE, "indices": BITS, "kernelSize": (1, 1), "gradInput": PLANE},
        (1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 0.0),
    ),
)
