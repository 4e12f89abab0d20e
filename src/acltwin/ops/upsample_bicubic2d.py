"""aclnnUpsampleBicubic2d."""

from acltwin.ops.families.resampling import device_rule
from acltwin.ops.families.upsampling import Upsampling

IMAGES = Upsampling(
    "HW",
    filter="cubic",
    formats=("NCHW", "NHWC", "ND"),
    lacking=(("Ascend910", "bfloat16"),),
    other_formats_refused=True,
)
SIZES = "Before Ascend950, each scale above 0 must give outputSize: self's size times the scale, rounded down."
ROW = (0.616, 1.028, 1.712, 2.396, 2.808)
RESULT = tuple(cell + row for row in (0, 1.236, 3.288, 5.34, 6.576) for cell in ROW)
SPEC = IMAGES.forward(
    "aclnnUpsampleBicubic2d",
    IMAGES.sampled("three cells become five", (1, 1, 3, 3), range(1, 10), (5, 5), RESULT),
    extra=(device_rule("scale_sizes", SIZES, scalesH=3.0),),
)
