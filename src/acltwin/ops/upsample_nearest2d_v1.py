"""aclnnUpsampleNearest2d, which takes no scales."""

from __future__ import annotations

from acltwin.ops.families.nearest import Upsampling
from acltwin.ops.spec import SOCS, CallCase, Sample, TensorCase

_SAMPLE = Sample(
    "every cell becomes four",
    CallCase(
        {
            "self": TensorCase("float32", (1, 1, 4, 2), "NCHW", values=tuple(map(float, range(8)))),
            "outputSize": (8, 4),
            "out": TensorCase("float32", (1, 1, 8, 4), "NCHW"),
        }
    ),
    (tuple(float(row // 2 * 2 + column // 2) for row in range(8) for column in range(4)),),
)
SPEC = (
    Upsampling(
        "HW",
        exact=False,
        dtypes=("float32", "float16", "float64", "uint8", "bfloat16"),
        socs=SOCS,
        scaled=False,
        lacking=(("Ascend910", "bfloat16"),),
        other_formats_refused=True,
        planned_in="upsample_nearest2d",
    )
    .operator("upsample_nearest2d_v1", "aclnnUpsampleNearest2d", "aclnn_upsample_nearest_2d.h", samples=(_SAMPLE,))
    .second_interface("upsample_nearest2d")
)
