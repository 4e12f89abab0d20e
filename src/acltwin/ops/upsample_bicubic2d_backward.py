"""aclnnUpsampleBicubic2dBackward."""

from __future__ import annotations

from acltwin.ops.families.linear import ResamplingGradient
from acltwin.ops.spec import CallCase, Sample, TensorCase

_SAMPLE = Sample(
    "corners lie on each other",
    CallCase(
        {
            "gradOut": TensorCase("float32", (1, 1, 2, 2), "NCHW", values=(1.0, 2.0, 3.0, 4.1)),
            "outputSize": (2, 2),
            "inputSize": (1, 1, 3, 3),
            "alignCorners": True,
            "scalesH": 1.1,
            "scalesW": 1.1,
            "gradInput": TensorCase("float32", (1, 1, 3, 3), "NCHW"),
        }
    ),
    ((1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 4.1),),
)
SPEC = ResamplingGradient(
    "HW",
    filter="cubic",
    array_dtypes=("float64",),
    lacking=(("Ascend910", "bfloat16"),),
).resampling("upsample_bicubic2d", "aclnnUpsampleBicubic2dBackward", "aclnn_upsample_bicubic_2d_backward.h", (_SAMPLE,))
