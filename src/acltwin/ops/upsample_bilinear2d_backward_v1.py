"""aclnnUpsampleBilinear2dBackward, which ignores scales before Ascend950."""

from dataclasses import replace

from acltwin.ops.spec import SOCS
from acltwin.ops.upsample_bilinear2d_backward import IMAGES, SAMPLE

OLD = replace(
    IMAGES,
    lacking=tuple((soc, "bfloat16") for soc in SOCS if soc != "Ascend950"),
    planned_in="upsample_bilinear2d_backward_v1",
)
SPEC = replace(
    OLD.gradient(
        "upsample_bilinear2d",
        "aclnnUpsampleBilinear2dBackward",
        SAMPLE,
        header="aclnn_upsample_bilinear_2d_backward.h",
    ).second_interface("upsample_bilinear2d_backward"),
    name="upsample_bilinear2d_backward_v1",
)
