"""aclnnAdaptiveMaxPool3dBackward: before Ascend950 it takes only int32 indices."""

from __future__ import annotations

from acltwin.ops.families.adaptive_max_pool import VOLUMES
from acltwin.ops.spec import CallCase, Sample, TensorCase

_PLANE, _POOLED = (TensorCase("float32", (1, 1, *sizes), "NCDHW") for sizes in ((2, 2, 2), (1, 1, 1)))
_SAMPLE = Sample(
    "one window whose maximum is cell 6",
    CallCase(
        {
            "gradOutput": _POOLED.but(values=(0.4757,)),
            "self": _PLANE,
            "indices": _POOLED.but(dtype="int32", values=(6,)),
            "gradInput": _PLANE,
        }
    ),
    ((0, 0, 0, 0, 0, 0, 0.4757, 0),),
)
SPEC = VOLUMES.pooling_gradient("adaptive_max_pool3d", "aclnnAdaptiveMaxPool3dBackward", _SAMPLE)
