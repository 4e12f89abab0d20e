"""aclnnUpsampleBilinear2dAABackward."""

from acltwin.ops.families.upsampling_gradient import FACTOR_LIMIT, UpsamplingGradient
from acltwin.ops.spec import FROM_910B

IMAGES = UpsamplingGradient("HW", filter="linear", antialias=True, socs=FROM_910B, result="out")
SPEC = IMAGES.gradient(
    "upsample_bilinear2d_aa",
    "aclnnUpsampleBilinear2dAABackward",
    IMAGES.blocks("every gradient of a plane returns to its one cell"),
    extra=(FACTOR_LIMIT,),
)
