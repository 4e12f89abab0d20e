"""aclnnUpsampleBilinear2d: a null self or out is 561103, a null outputSize 161002."""

from __future__ import annotations

from acltwin.ops.families.linear import Resampling
from acltwin.ops.spec import (
    ACLNN,
    EVERYWHERE,
    INNER_NULL_POINTER,
    INVALID_PARAMETER,
    CallCase,
    Rule,
    Sample,
    TensorCase,
)

_SAMPLE = Sample(
    "corners lie on each other",
    CallCase(
        {
            "self": TensorCase("float32", (1, 1, 4, 2), "NCHW", values=tuple(map(float, range(8)))),
            "outputSize": (8, 4),
            "alignCorners": True,
            "scalesH": 2.0,
            "scalesW": 2.0,
            "out": TensorCase("float32", (1, 1, 8, 4), "NCHW"),
        }
    ),
    (tuple(6 * row / 7 + column / 3 for row in range(8) for column in range(4)),),
)
_PARTS = Resampling(
    "HW",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    scale_note='``rule="device"`` uses them only if both are given and fit the sizes, and never for channels-last '
    "images, except on Ascend950.",
    empty_succeeds=True,
    other_formats_refused=True,
    negative_scales=EVERYWHERE,
    null_codes=(("self", INNER_NULL_POINTER), ("out", INNER_NULL_POINTER), ("outputSize", INVALID_PARAMETER)),
)
_WIDE = Rule(
    "float64_format",
    "float64 tensors must be NHWC.",
    {"self": _PARTS.source.but(dtype="float64"), "out": _PARTS.result.but(dtype="float64")},
    ACLNN,
    shared="resample",
)
SPEC = _PARTS.resampling(
    "upsample_bilinear2d", "aclnnUpsampleBilinear2d", "aclnn_upsample_bilinear_2d.h", (_SAMPLE,), (_WIDE,)
)
