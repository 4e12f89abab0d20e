"""aclnnMaxUnpool2d."""

from __future__ import annotations

from acltwin.ops.families.max_unpool import IMAGES
from acltwin.ops.spec import CallCase, Sample, TensorCase

SPEC = IMAGES.forward(
    "max_unpool2d",
    "aclnnMaxUnpool2d",
    "max_unpool2d_backward",
    "max_unpool2d",
    Sample(
        "four maxima return to where they were",
        CallCase(
            {
                "self": TensorCase("float32", (1, 1, 2, 2), values=(1.0, 2.0, 3.0, 4.0)),
                "indices": TensorCase("int64", (1, 1, 2, 2), values=(3, 8, 11, 13)),
                "outputSize": (4, 4),
                "out": TensorCase("float32", (1, 1, 4, 4)),
            }
        ),
        ((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0),),
    ),
)
