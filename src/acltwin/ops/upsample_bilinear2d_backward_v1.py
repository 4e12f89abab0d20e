"""aclnnUpsampleBilinear2dBackward, which ignores scales before Ascend950."""

from dataclasses import replace

from acltwin.ops.spec import SOCS
from acltwin.ops.upsample_bilinear2d_backward import IMAGES, SAMPLE

OLD = replace(
    IMAGES,
    lacking=tuple((soc, "bfloat16") for soc in SOCS if soc != "Ascend950"),
    planned_in="upsample_bilinear2d_backward_v1",
)
SPEC = OLD.gradient("aclnnUpsampleBilinear2dBackward", SAMPLE).second_interface("upsample_bilinear2d_backward")
