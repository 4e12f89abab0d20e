"""aclnnMaxUnpool2dBackward: it also takes bool, not float64, and its result may have another dtype."""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops.families.max_unpool import IMAGES
from acltwin.ops.spec import SOCS, CallCase, Sample, TensorCase

SPEC = replace(
    IMAGES,
    dtypes=("float32", "float16", "int8", "uint8", "int16", "int32", "int64", "bool"),
    array_dtypes=("float64", "bfloat16"),
    socs=SOCS,
    casts=True,
).gradient(
    "max_unpool2d_backward",
    "aclnnMaxUnpool2dBackward",
    "max_unpool2d",
    Sample(
        "every index fetches a gradient of its own plane",
        CallCase(
            {
                "gradOutput": TensorCase("float32", (1, 3, 3, 1), values=tuple(map(float, range(9)))),
                "self": TensorCase("float32", (1, 3, 2, 2)),
                "indices": TensorCase("int32", (1, 3, 2, 2), values=(0, 1, 2, 1, 2, 0, 1, 1, 1, 0, 0, 0)),
                "outputSize": (3, 1),
                "out": TensorCase("float32", (1, 3, 2, 2)),
            }
        ),
        ((0.0, 1.0, 2.0, 1.0, 5.0, 3.0, 4.0, 4.0, 7.0, 6.0, 6.0, 6.0),),
    ),
)
