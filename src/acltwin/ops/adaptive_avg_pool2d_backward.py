"""aclnnAdaptiveAvgPool2dBackward."""

from __future__ import annotations

from acltwin.ops.families.average import AdaptivePool
from acltwin.ops.spec import CallCase, Sample, TensorCase

_SAMPLE = Sample(
    "windows of two rows, which overlap",
    CallCase(
        {
            "gradOutput": TensorCase("float32", (1, 1, 3, 2), values=(1, 2, 3, 4, 5, 6)),
            "self": TensorCase("float32", (1, 1, 4, 2)),
            "out": TensorCase("float32", (1, 1, 4, 2)),
        }
    ),
    ((0.5, 1, 2, 3, 4, 5, 2.5, 3),),
)
SPEC = AdaptivePool("HW").gradient("aclnnAdaptiveAvgPool2dBackward", "aclnn_adaptive_avg_pool2d_backward.h", _SAMPLE)
