"""aclnnUpsampleNearest2dV2."""

from acltwin.ops.families.upsampling import Upsampling

SPEC = Upsampling(
    "HW",
    dtypes=("float32", "float16", "bfloat16", "float64", "uint8"),
    scale_kind="float",
    scales_together=True,
    empty_succeeds_first=True,
    other_formats_refused=True,
    unscaled_dtypes=("float64", "uint8"),
    scale_note='``rule="device"`` uses them, in float32, only if both are given, and never for float64 and uint8. It '
    "ignores one where the size stays and, in small images, where it doubles.",
).forward("aclnnUpsampleNearest2dV2")
