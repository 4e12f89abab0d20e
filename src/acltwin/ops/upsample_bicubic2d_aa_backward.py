"""aclnnUpsampleBicubic2dAAGrad."""

from acltwin.ops.families.upsampling_gradient import UpsamplingGradient
from acltwin.ops.spec import FROM_910B

IMAGES = UpsamplingGradient("HW", filter="cubic", antialias=True, socs=FROM_910B, result="out")
SPEC = IMAGES.gradient("aclnnUpsampleBicubic2dAAGrad")
