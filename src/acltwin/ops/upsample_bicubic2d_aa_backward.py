"""aclnnUpsampleBicubic2dAAGrad."""

from __future__ import annotations

from acltwin.ops.families.linear import ResamplingGradient
from acltwin.ops.spec import ACLNN, CallCase, Rule, Sample, TensorCase

_SAMPLE = Sample(
    "every gradient of a plane returns to its one cell",
    CallCase(
        {
            "gradOut": TensorCase("float32", (2, 2, 2, 2), "NCHW", values=tuple(map(float, range(1, 17)))),
            "outputSize": (2, 2),
            "inputSize": (2, 2, 1, 1),
            "alignCorners": False,
            "scalesH": 0.0,
            "scalesW": 0.0,
            "out": TensorCase("float32", (2, 2, 1, 1), "NCHW"),
        }
    ),
    ((10.0, 26.0, 42.0, 58.0),),
)
SPEC = ResamplingGradient(
    "HW",
    filter="cubic",
    antialias=True,
    socs=("Ascend950", "Ascend910_93", "Ascend910B"),
    array_dtypes=("float64",),
    result="out",
).resampling(
    "upsample_bicubic2d_aa",
    "aclnnUpsampleBicubic2dAAGrad",
    "aclnn_upsample_bicubic2d_aa_grad.h",
    (_SAMPLE,),
    (
        Rule(
            "factor_limit",
            "No axis may be enlarged more than 50 times on Ascend910B and Ascend910_93.",
            {"scalesH": 51.0},
            ACLNN,
            shared="resample",
        ),
    ),
)
