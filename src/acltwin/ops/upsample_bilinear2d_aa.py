"""aclnnUpsampleBilinear2dAA."""

from __future__ import annotations

from acltwin.ops.families.linear import Resampling
from acltwin.ops.spec import ACLNN, EVERYWHERE, CallCase, Rule, Sample, TensorCase

_ROWS = (0, 2 / 7, 8 / 7, 2, 20 / 7, 26 / 7, 32 / 7, 38 / 7)
_SAMPLE = Sample(
    "the documented call",
    CallCase(
        {
            "self": TensorCase("float32", (1, 1, 4, 2), "NCHW", values=tuple(map(float, range(8)))),
            "outputSize": (8, 4),
            "alignCorners": True,
            "scalesH": 0.0,
            "scalesW": 0.0,
            "out": TensorCase("float32", (1, 1, 8, 4), "NCHW"),
        }
    ),
    (tuple(row + column for row in _ROWS for column in (0, 0, 1 / 3, 2 / 3)),),
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
    filter="linear",
    antialias=True,
    socs=("Ascend950", "Ascend910_93", "Ascend910B"),
    formats=("NCHW", "ND"),
    other_formats_refused=True,
    negative_scales=EVERYWHERE,
    batch_needed=True,
).resampling(
    "upsample_bilinear2d_aa", "aclnnUpsampleBilinear2dAA", "aclnn_upsample_bilinear2d_aa.h", (_SAMPLE,), (_SHRINK,)
)
