"""aclnnMaxUnpool3d."""

from __future__ import annotations

from acltwin.ops.families.max_unpool import VOLUMES
from acltwin.ops.spec import CallCase, Sample, TensorCase

SPEC = VOLUMES.forward(
    "max_unpool3d",
    "aclnnMaxUnpool3d",
    "max_unpool3d_backward",
    "max_unpool3d",
    Sample(
        "four maxima return to where they were",
        CallCase(
            {
                "self": TensorCase("float32", (1, 1, 1, 2, 2), values=(5.0, 6.0, 7.0, 8.0)),
                "indices": TensorCase("int64", (1, 1, 1, 2, 2), values=(1, 3, 8, 14)),
                "outputSize": (1, 4, 4),
                "stride": (1, 2, 2),
                "padding": (0, 0, 0),
                "outRef": TensorCase("float32", (1, 1, 1, 4, 4)),
            }
        ),
        ((0.0, 5.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0),),
    ),
)
