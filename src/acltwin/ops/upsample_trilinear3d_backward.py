"""aclnnUpsampleTrilinear3dBackward."""

from acltwin.ops.families.upsampling_gradient import UpsamplingGradient

VOLUMES = UpsamplingGradient(
    "DHW",
    filter="linear",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    socs=("Ascend910_93", "Ascend910B", "Ascend910"),
    lacking=(("Ascend910", "bfloat16"),),
    scales_together=True,
)
SPEC = VOLUMES.gradient(
    "upsample_trilinear3d",
    "aclnnUpsampleTrilinear3dBackward",
    VOLUMES.blocks("every gradient of a volume returns to its one cell"),
    header="aclnn_upsample_trilinear_3d_backward.h",
)
