"""aclnnUpsampleBilinear2dBackwardV2."""

from __future__ import annotations

from acltwin.ops.families.linear import ResamplingGradient
from acltwin.ops.spec import CallCase, Sample, TensorCase

SAMPLE = Sample(
    "every cell of the input gets what it gave",
    CallCase(
        {
            "gradOut": TensorCase("float32", (1, 1, 6, 6), "NCHW", values=(1.0,) * 36),
            "outputSize": (6, 6),
            "inputSize": (1, 1, 3, 3),
            "alignCorners": True,
            "scalesH": 2.0,
            "scalesW": 2.0,
            "out": TensorCase("float32", (1, 1, 3, 3), "NCHW"),
        }
    ),
    ((3.24, 4.32, 3.24, 4.32, 5.76, 4.32, 3.24, 4.32, 3.24),),
)

PARTS = ResamplingGradient(
    "HW",
    array_dtypes=("float64",),
    lacking=(("Ascend910", "bfloat16"),),
    scale_note='``rule="device"`` uses them only if both are given and fit the sizes, except on Ascend950.',
    input_size_note="With NHWC tensors N, H, W, C.",
    input_size_follows_format=True,
    result="out",
)
SPEC = PARTS.resampling(
    "upsample_bilinear2d",
    "aclnnUpsampleBilinear2dBackwardV2",
    "aclnn_upsample_bilinear_2d_backward_v2.h",
    (SAMPLE,),
)
