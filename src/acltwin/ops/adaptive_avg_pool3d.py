"""aclnnAdaptiveAvgPool3d."""

from __future__ import annotations

from acltwin.ops.families.average import AdaptivePool
from acltwin.ops.spec import CallCase, Sample, TensorCase

_SAMPLE = Sample(
    "pairs of columns",
    CallCase(
        {
            "self": TensorCase("float32", (2, 1, 2, 2, 4), values=tuple(map(float, [*range(1, 17)] * 2))),
            "outputSize": (2, 2, 2),
            "out": TensorCase("float32", (2, 1, 2, 2, 2)),
        }
    ),
    (tuple(1.5 + 2 * i for i in range(8)) * 2,),
)
SPEC = AdaptivePool("DHW", socs=("Ascend950", "Ascend910_93", "Ascend910B"), lacking=()).forward(
    "aclnnAdaptiveAvgPool3d", "aclnn_adaptive_avg_pool3d.h", _SAMPLE
)
