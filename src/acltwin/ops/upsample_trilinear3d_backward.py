"""aclnnUpsampleTrilinear3dBackward."""

from acltwin.ops.families.upsampling_gradient import UpsamplingGradient

SPEC = UpsamplingGradient(
    "DHW",
    filter="linear",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    socs=("Ascend910_93", "Ascend910B", "Ascend910"),
    lacking=(("Ascend910", "bfloat16"),),
    scales_together=True,
).gradient("aclnnUpsampleTrilinear3dBackward")
