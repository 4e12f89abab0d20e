"""aclnnMaxPool, whose arguments are those of ONNX."""

from __future__ import annotations

from acltwin.ops.families.plain_max_pool import PlainMaxPool
from acltwin.ops.spec import SOCS, CallCase, Sample, TensorCase

_ON_950 = ("bfloat16", "int32", "int64", "uint8", "int16", "int8", "uint16")
_SAMPLE = Sample(
    "in ceil_mode the last windows have fewer cells",
    CallCase(
        {
            "self": TensorCase("float32", (2, 2, 3, 3), values=tuple(map(float, range(1, 37)))),
            "kernelShape": (2, 2),
            "strides": (2, 2),
            "autoPad": 0,
            "pads": (0, 0, 0, 0),
            "dilations": (1, 1),
            "ceilMode": 1,
            "out": TensorCase("float32", (2, 2, 2, 2)),
        }
    ),
    ((5, 6, 8, 9, 14, 15, 17, 18, 23, 24, 26, 27, 32, 33, 35, 36),),
)
SPEC = PlainMaxPool(
    "HW",
    dtypes=("float32", "float16", *_ON_950),
    socs=SOCS,
    formats=("ND", "NCHW", "NCL"),
    channels_needed=True,
    lacking=(
        ("Ascend910", "float32"),
        *((soc, dtype) for dtype in _ON_950 for soc in SOCS if soc != "Ascend950"),
    ),
).operator("max_pool", "aclnnMaxPool", "aclnn_max_pool.h", (_SAMPLE,))
