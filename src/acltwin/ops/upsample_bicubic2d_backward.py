"""aclnnUpsampleBicubic2dBackward."""

from acltwin.ops.families.upsampling_gradient import UpsamplingGradient

IMAGES = UpsamplingGradient("HW", filter="cubic", lacking=(("Ascend910", "bfloat16"),))
GRADIENTS, CORNERS = (1.0, 2.0, 3.0, 4.1), (1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 4.1)
SPEC = IMAGES.gradient(
    "aclnnUpsampleBicubic2dBackward",
    IMAGES.sampled("corners lie on each other", (1, 1, 2, 2), GRADIENTS, (3, 3), CORNERS, align=True, scale=1.1),
)
