"""aclnnUpsampleBicubic2dAA."""

from acltwin.ops.families.upsampling import Upsampling
from acltwin.ops.spec import FROM_910B

IMAGES = Upsampling(
    "HW", filter="cubic", antialias=True, socs=FROM_910B, formats=("NCHW", "ND"), other_formats_refused=True
)
ROW = (0.698113, 1.079555, 1.773585, 2.467615, 2.849057)
RESULT = tuple(column + 3 * (row - ROW[0]) for row in ROW for column in ROW)
SAMPLE = IMAGES.sampled("the documented call", (1, 1, 3, 3), range(1, 10), (5, 5), RESULT)
SPEC = IMAGES.forward("aclnnUpsampleBicubic2dAA", SAMPLE)
