"""aclnnUpsampleLinear1d: a negative scale means that none is given, and 0 is rejected before Ascend950."""

from acltwin.ops.families.upsampling import Upsampling
from acltwin.ops.spec import ACLNN, Rule

LINES = Upsampling(
    "L",
    filter="linear",
    formats=("NCL", "ND"),
    lacking=(("Ascend910", "bfloat16"),),
    scale_names=("scale",),
    scale_note="A negative one also means not given.",
    no_scale=-1.0,
    negative_scales=(),
)
FITS = Rule(
    "scale_fits",
    "Before Ascend950, a scale that is not negative must give outputSize: L times scale, rounded down.",
    {"scale": 0.0},
    ACLNN,
    shared="resample",
)
SPEC = LINES.forward(
    "upsample_linear1d",
    "aclnnUpsampleLinear1d",
    LINES.sampled("equal cells stay what they are", (1, 1, 2), (1.0, 1.0), (3,), (1.0, 1.0, 1.0)),
    extra=(FITS,),
    header="aclnn_upsample_linear_1d.h",
)
