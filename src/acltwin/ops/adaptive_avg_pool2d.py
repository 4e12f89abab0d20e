"""aclnnAdaptiveAvgPool2d."""

from __future__ import annotations

from acltwin.ops.families.average import AdaptivePool
from acltwin.ops.spec import CallCase, Sample, TensorCase

_SAMPLE = Sample(
    "windows of two by two cells, which overlap",
    CallCase(
        {
            "self": TensorCase("float32", (2, 2, 3, 3), "NCHW", values=tuple(map(float, range(1, 37)))),
            "outputSize": (2, 2),
            "out": TensorCase("float32", (2, 2, 2, 2), "NCHW"),
        }
    ),
    ((3, 4, 6, 7, 12, 13, 15, 16, 21, 22, 24, 25, 30, 31, 33, 34),),
)
SPEC = AdaptivePool("HW", formats=("NCHW", "NCL"), first_format="NCHW").forward(
    "aclnnAdaptiveAvgPool2d", "aclnn_adaptive_avg_pool2d.h", _SAMPLE
)
