"""aclnnUpsampleBicubic2dAA."""

from __future__ import annotations

from acltwin.ops.families.linear import Resampling
from acltwin.ops.spec import ACLNN, CallCase, Rule, Sample, TensorCase

_ROW = (0.698113, 1.079555, 1.773585, 2.467615, 2.849057)
_SAMPLE = Sample(
    "the documented call",
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
    (tuple(column + 3 * (row - _ROW[0]) for row in _ROW for column in _ROW),),
)
_SHRINK = Rule(
    "shrink_limit",
    "No axis may shrink more than 50 times on Ascend910B and Ascend910_93: 1 / scale, or self's size / outputSize.",
    {"scalesH": 0.01},
    ACLNN,
    shared="resample",
)
SPEC = Resampling(
    "HW",
    filter="cubic",
    antialias=True,
    socs=("Ascend950", "Ascend910_93", "Ascend910B"),
    formats=("NCHW", "ND"),
    other_formats_refused=True,
).resampling(
    "upsample_bicubic2d_aa", "aclnnUpsampleBicubic2dAA", "aclnn_upsample_bicubic2d_aa.h", (_SAMPLE,), (_SHRINK,)
)
