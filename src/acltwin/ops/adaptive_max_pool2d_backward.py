"""aclnnAdaptiveMaxPool2dBackward."""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops.families.adaptive_max_pool import IMAGES
from acltwin.ops.spec import CallCase, Sample, TensorCase

_PLANE, _POOLED = TensorCase("float32", (1, 1, 3, 2), "NCHW"), TensorCase("float32", (1, 1, 2, 1), "NCHW")
_SAMPLE = Sample(
    "two windows of two rows",
    CallCase(
        {
            "gradOutput": _POOLED.but(values=(0.4757, 0.8231)),
            "self": _PLANE,
            "indices": _POOLED.but(dtype="int64", values=(1, 4)),
            "gradInput": _PLANE,
        }
    ),
    ((0, 0.4757, 0, 0, 0.8231, 0),),
)
SPEC = replace(
    IMAGES,
    dtypes=("float32", "float16", "bfloat16"),
    value_dtypes=("float64",),
    socs=("Ascend950", "Ascend910_93", "Ascend910B"),
    lacking=(),
    index_dtypes=("int64", "int32"),
    plane_limited=True,
).pooling_gradient("adaptive_max_pool2d", "aclnnAdaptiveMaxPool2dBackward", _SAMPLE)
