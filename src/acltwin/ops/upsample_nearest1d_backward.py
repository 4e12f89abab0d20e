"""aclnnUpsampleNearest1dBackward."""

from __future__ import annotations

from acltwin.ops.families.nearest_gradient import UpsamplingGradient
from acltwin.ops.spec import SOCS, CallCase, Sample, TensorCase

_LINES = UpsamplingGradient(
    "L",
    exact=False,
    dtypes=("float32", "float16", "bfloat16", "float64"),
    socs=SOCS,
    scale_names=("scales",),
    scales_fit=True,
    result="out",
    scale_note='``rule="device"`` ignores it unless input size * scale, rounded down, is the output size.',
)
_MISFIT = CallCase(
    {
        "gradOut": TensorCase("float32", (1, 1, 2), "NCL", values=(1.0, 4.1)),
        "outputSize": (2,),
        "inputSize": (1, 1, 3),
        "scales": 1.1,
        "out": TensorCase("float32", (1, 1, 3), "NCL"),
    }
)

SPEC = _LINES.operator(
    "upsample_nearest1d",
    "aclnnUpsampleNearest1dBackward",
    "aclnn_upsample_nearest_1d_backward.h",
    samples=(
        _LINES.sample,
        Sample("a scale that does not fit the sizes is ignored", _MISFIT, ((1.0, 4.1, 0.0),)),
    ),
)
