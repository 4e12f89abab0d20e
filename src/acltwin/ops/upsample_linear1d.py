"""aclnnUpsampleLinear1d: a negative scale means that none is given, and 0 is rejected before Ascend950."""

from acltwin.ops.families.resampling import device_rule
from acltwin.ops.families.upsampling import Upsampling

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
FITS = "Before Ascend950, a scale that is not negative must give outputSize: L times scale, rounded down."
SPEC = LINES.forward(
    "aclnnUpsampleLinear1d",
    LINES.sampled("equal cells stay what they are", (1, 1, 2), (1.0, 1.0), (3,), (1.0, 1.0, 1.0)),
    extra=(device_rule("scale_fits", FITS, scale=0.0),),
)
