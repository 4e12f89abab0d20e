"""aclnnUpsampleNearest1d, which takes no scale."""

from __future__ import annotations

from acltwin.ops.families.nearest import Upsampling
from acltwin.ops.spec import SOCS, CallCase, Sample, TensorCase

_SAMPLE = Sample(
    "three cells become five",
    CallCase(
        {
            "self": TensorCase("float32", (1, 3, 3), "NCL", values=tuple(map(float, range(9)))),
            "outputSize": (5,),
            "out": TensorCase("float32", (1, 3, 5), "NCL"),
        }
    ),
    ((0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8),),
)
SPEC = (
    Upsampling(
        "L",
        exact=False,
        dtypes=("float32", "float16", "float64", "uint8", "bfloat16"),
        socs=SOCS,
        formats=("NCL",),
        scaled=False,
        lacking=(("Ascend910", "bfloat16"),),
        other_formats_refused=True,
        planned_in="upsample_nearest1d",
    )
    .operator("upsample_nearest1d_v1", "aclnnUpsampleNearest1d", "aclnn_upsample_nearest_1d.h", samples=(_SAMPLE,))
    .second_interface("upsample_nearest1d")
)
