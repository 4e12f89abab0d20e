"""aclnnUpsampleBilinear2dBackward, which ignores scales before Ascend950."""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops.spec import SOCS
from acltwin.ops.upsample_bilinear2d_backward import PARTS, SAMPLE

SPEC = replace(
    replace(
        PARTS,
        lacking=tuple((soc, "bfloat16") for soc in SOCS if soc != "Ascend950"),
        planned_in="upsample_bilinear2d_backward_v1",
    )
    .resampling(
        "upsample_bilinear2d",
        "aclnnUpsampleBilinear2dBackward",
        "aclnn_upsample_bilinear_2d_backward.h",
        (SAMPLE,),
    )
    .second_interface("upsample_bilinear2d_backward"),
    name="upsample_bilinear2d_backward_v1",
)
