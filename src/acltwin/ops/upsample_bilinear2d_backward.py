"""aclnnUpsampleBilinear2dBackwardV2."""

from acltwin.ops.families.upsampling_gradient import UpsamplingGradient

IMAGES = UpsamplingGradient(
    "HW",
    filter="linear",
    lacking=(("Ascend910", "bfloat16"),),
    scale_note='``rule="device"`` uses them only if both are given and fit the sizes, except on Ascend950.',
    input_size_note="With NHWC tensors N, H, W, C.",
    input_size_follows_format=True,
    result="out",
)
GIVEN = (3.24, 4.32, 3.24, 4.32, 5.76, 4.32, 3.24, 4.32, 3.24)
SAMPLE = IMAGES.sampled(
    "every cell of the input gets what it gave", (1, 1, 6, 6), (1.0,) * 36, (3, 3), GIVEN, align=True, scale=2.0
)
SPEC = IMAGES.gradient("aclnnUpsampleBilinear2dBackwardV2", SAMPLE)
