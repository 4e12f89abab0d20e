"""aclnnUpsampleNearest1dV2."""

from acltwin.ops.families.upsampling import Upsampling

LINES = Upsampling(
    "L",
    dtypes=("float32", "float16", "float64", "uint8", "bfloat16"),
    formats=("NCL",),
    scale_names=("scaleL",),
    scale_kind="float",
    lacking=(("Ascend910", "bfloat16"),),
    other_formats_refused=True,
    unscaled_dtypes=("float64", "uint8"),
    scale_note='``rule="device"`` uses it, in float32, but not for float64 and uint8.',
)
SPEC = LINES.forward("aclnnUpsampleNearest1dV2")
