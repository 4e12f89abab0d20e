"""aclnnUpsampleBicubic2d."""

from __future__ import annotations

from acltwin.ops.families.linear import Resampling
from acltwin.ops.spec import ACLNN, CallCase, Rule, Sample, TensorCase

_ROW = (0.616, 1.028, 1.712, 2.396, 2.808)
_SAMPLE = Sample(
    "three cells become five",
    CallCase(
        {
            "self": TensorCase("float32", (1, 1, 3, 3), "NCHW", values=tuple(map(float, range(1, 10)))),
            "outputSize": (5, 5),
            "alignCorners": False,
            "scalesH": 0.0,
            "scalesW": 0.0,
            "out": TensorCase("float32", (1, 1, 5, 5), "NCHW"),
        }
    ),
    (tuple(cell + row for row in (0, 1.236, 3.288, 5.34, 6.576) for cell in _ROW),),
)
_SIZES = Rule(
    "scale_sizes",
    "Before Ascend950, each scale above 0 must give outputSize: self's size times the scale, rounded down.",
    {"scalesH": 3.0},
    ACLNN,
    shared="resample",
)
SPEC = Resampling(
    "HW",
    filter="cubic",
    formats=("NCHW", "NHWC", "ND"),
    lacking=(("Ascend910", "bfloat16"),),
    other_formats_refused=True,
).resampling("upsample_bicubic2d", "aclnnUpsampleBicubic2d", "aclnn_upsample_bicubic_2d.h", (_SAMPLE,), (_SIZES,))
