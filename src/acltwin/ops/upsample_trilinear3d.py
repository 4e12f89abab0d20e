"""aclnnUpsampleTrilinear3d."""

from __future__ import annotations

from acltwin.ops.families.linear import Resampling
from acltwin.ops.spec import CallCase, Sample, TensorCase

_ROW = (1.0, 1.25, 1.75, 2.0)
_SAMPLE = Sample(
    "twice as many cells along every axis",
    CallCase(
        {
            "self": TensorCase("float32", (1, 1, 2, 2, 2), "NCDHW", values=tuple(map(float, range(1, 9)))),
            "outputSize": (4, 4, 4),
            "alignCorners": False,
            "scalesD": 0.0,
            "scalesH": 0.0,
            "scalesW": 0.0,
            "out": TensorCase("float32", (1, 1, 4, 4, 4), "NCDHW"),
        }
    ),
    (tuple(cell + row + plane for plane in (0, 1, 3, 4) for row in (0, 0.5, 1.5, 2) for cell in _ROW),),
)
SPEC = Resampling(
    "DHW",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    formats=("NCDHW", "NDHWC", "ND"),
    lacking=(("Ascend910", "bfloat16"), ("Ascend950", "float64")),
    scales_together=True,
    scale_note='``rule="device"`` uses them only if all three are given.',
    other_formats_refused=True,
).resampling("upsample_trilinear3d", "aclnnUpsampleTrilinear3d", "aclnn_upsample_trilinear_3d.h", (_SAMPLE,))
