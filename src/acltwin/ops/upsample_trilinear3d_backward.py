"""aclnnUpsampleTrilinear3dBackward."""

from __future__ import annotations

from acltwin.ops.families.linear import ResamplingGradient
from acltwin.ops.spec import CallCase, Sample, TensorCase

_SAMPLE = Sample(
    "every gradient of a volume returns to its one cell",
    CallCase(
        {
            "gradOut": TensorCase("float32", (2, 2, 2, 2, 2), "NCDHW", values=tuple(map(float, range(1, 33)))),
            "outputSize": (2, 2, 2),
            "inputSize": (2, 2, 1, 1, 1),
            "alignCorners": False,
            "scalesD": 0.0,
            "scalesH": 0.0,
            "scalesW": 0.0,
            "gradInput": TensorCase("float32", (2, 2, 1, 1, 1), "NCDHW"),
        }
    ),
    ((36.0, 100.0, 164.0, 228.0),),
)
SPEC = ResamplingGradient(
    "DHW",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    socs=("Ascend910_93", "Ascend910B", "Ascend910"),
    lacking=(("Ascend910", "bfloat16"),),
    scales_together=True,
    scale_note='``rule="device"`` uses them only if all three are given.',
).resampling(
    "upsample_trilinear3d", "aclnnUpsampleTrilinear3dBackward", "aclnn_upsample_trilinear_3d_backward.h", (_SAMPLE,)
)
