"""aclnnAdaptiveAvgPool3dBackward."""

from __future__ import annotations

from acltwin.ops.families.average import AdaptivePool
from acltwin.ops.spec import CallCase, Sample, TensorCase

_SAMPLE = Sample(
    "each gradient is halved over two columns",
    CallCase(
        {
            "gradOutput": TensorCase("float32", (1, 1, 2, 2, 2), values=tuple(map(float, range(1, 9)))),
            "self": TensorCase("float32", (1, 1, 2, 2, 4)),
            "out": TensorCase("float32", (1, 1, 2, 2, 4)),
        }
    ),
    (tuple(value / 2 for value in range(1, 9) for _ in range(2)),),
)
SPEC = AdaptivePool("DHW", socs=("Ascend950", "Ascend910_93", "Ascend910B"), lacking=()).gradient(
    "aclnnAdaptiveAvgPool3dBackward", "aclnn_adaptive_avg_pool3d_backward.h", _SAMPLE
)
