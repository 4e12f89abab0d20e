"""aclnnUpsampleBilinear2dAA."""

from acltwin.ops.families.upsampling import Upsampling
from acltwin.ops.spec import EVERYWHERE, FROM_910B

IMAGES = Upsampling(
    "HW",
    filter="linear",
    antialias=True,
    socs=FROM_910B,
    formats=("NCHW", "ND"),
    other_formats_refused=True,
    negative_scales=EVERYWHERE,
    batch_needed=True,
)
ROWS = (0, 2 / 7, 8 / 7, 2, 20 / 7, 26 / 7, 32 / 7, 38 / 7)
RESULT = tuple(row + column for row in ROWS for column in (0, 0, 1 / 3, 2 / 3))
SAMPLE = IMAGES.sampled("the documented call", (1, 1, 4, 2), range(8), (8, 4), RESULT, align=True)
SPEC = IMAGES.forward("aclnnUpsampleBilinear2dAA", SAMPLE)
