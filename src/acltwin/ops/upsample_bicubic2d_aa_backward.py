"""aclnnUpsampleBicubic2dAAGrad."""

from acltwin.ops.families.upsampling_gradient import FACTOR_LIMIT, UpsamplingGradient
from acltwin.ops.spec import FROM_910B

IMAGES = UpsamplingGradient("HW", filter="cubic", antialias=True, socs=FROM_910B, result="out")
SPEC = IMAGES.gradient(
    "upsample_bicubic2d_aa",
    "aclnnUpsampleBicubic2dAAGrad",
    IMAGES.blocks("every gradient of a plane returns to its one cell"),
    extra=(FACTOR_LIMIT,),
    header="aclnn_upsample_bicubic2d_aa_grad.h",
)
