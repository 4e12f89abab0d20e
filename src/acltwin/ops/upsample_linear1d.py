"""aclnnUpsampleLinear1d: a negative scale means that none is given, and 0 is rejected before Ascend950."""

from __future__ import annotations

from acltwin.ops.families.linear import Resampling
from acltwin.ops.spec import ACLNN, CallCase, Rule, Sample, TensorCase

_SAMPLE = Sample(
    "equal cells stay what they are",
    CallCase(
        {
            "self": TensorCase("float32", (1, 1, 2), "NCL", values=(1.0, 1.0)),
            "outputSize": (3,),
            "alignCorners": False,
            "scale": -1.0,
            "out": TensorCase("float32", (1, 1, 3), "NCL"),
        }
    ),
    ((1.0, 1.0, 1.0),),
)
_FITS = Rule(
    "scale_fits",
    "Before Ascend950, a scale that is not negative must give outputSize: L times scale, rounded down.",
    {"scale": 0.0},
    ACLNN,
    shared="resample",
)
SPEC = Resampling(
    "L",
    formats=("NCL", "ND"),
    lacking=(("Ascend910", "bfloat16"),),
    scale_names=("scale",),
    scale_note="A negative one also means not given.",
    no_scale=-1.0,
    negative_scales=(),
).resampling("upsample_linear1d", "aclnnUpsampleLinear1d", "aclnn_upsample_linear_1d.h", (_SAMPLE,), (_FITS,))
