"""aclnnMaxUnpool3dBackward: its indices are int64, and its result is called out."""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops.families.max_unpool import VOLUMES
from acltwin.ops.spec import CallCase, Sample, TensorCase

SPEC = replace(VOLUMES, result="out", indices=("int64",)).gradient(
    "max_unpool3d_backward",
    "aclnnMaxUnpool3dBackward",
    "max_unpool3d",
    Sample(
        "every index fetches a one",
        CallCase(
            {
                "gradOutput": TensorCase("float32", (1, 1, 4, 4), values=(1.0,) * 16),
                "self": TensorCase("float32", (1, 1, 4, 4), values=tuple(range(16))),
                "indices": TensorCase("int64", (1, 1, 4, 4), values=(0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 11, 0, 0, 0, 13)),
                "outputSize": (1, 4, 4),
                "stride": (1, 2, 3),
                "padding": (1, 2, 3),
                "out": TensorCase("float32", (1, 1, 4, 4)),
            }
        ),
        ((1.0,) * 16,),
    ),
)
