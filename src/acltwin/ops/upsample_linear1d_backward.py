"""aclnnUpsampleLinear1dBackward."""

from __future__ import annotations

from acltwin.ops.families.linear import ResamplingGradient
from acltwin.ops.spec import ACLNN, CallCase, Rule, Sample, TensorCase

_SAMPLE = Sample(
    "cells that lie on each other",
    CallCase(
        {
            "gradOut": TensorCase("float32", (1, 1, 3), "NCL", values=(1.0, 2.0, 3.0)),
            "outputSize": (3,),
            "inputSize": (1, 1, 6),
            "alignCorners": True,
            "scales": 1.1,
            "out": TensorCase("float32", (1, 1, 6), "NCL"),
        }
    ),
    ((1.0, 0.0, 1.0, 1.0, 0.0, 3.0),),
)
SPEC = ResamplingGradient(
    "L",
    array_dtypes=("float64",),
    lacking=(("Ascend910", "bfloat16"),),
    scale_names=("scales",),
    scale_note='``rule="device"`` ignores one that does not fit the sizes, except on Ascend950.',
    negative_means_none=True,
    result="out",
).resampling(
    "upsample_linear1d",
    "aclnnUpsampleLinear1dBackward",
    "aclnn_upsample_linear_1d_backward.h",
    (_SAMPLE,),
    (
        Rule(
            "line_factor_limit",
            "L may be enlarged at most 500 times on Ascend910B and Ascend910_93: scales, or outputSize / inputSize.",
            {"scales": 501.0},
            ACLNN,
            shared="resample",
        ),
    ),
)
