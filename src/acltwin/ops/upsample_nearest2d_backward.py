"""aclnnUpsampleNearest2dBackward."""

from acltwin.ops.families.upsampling_gradient import UpsamplingGradient

SPEC = UpsamplingGradient(
    "HW",
    lacking=(("Ascend910", "bfloat16"),),
    input_size_note="With NHWC tensors N, H, W, C.",
    input_size_follows_format=True,
).gradient("aclnnUpsampleNearest2dBackward")
