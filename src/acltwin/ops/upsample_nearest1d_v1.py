"""aclnnUpsampleNearest1d, which takes no scale."""

from acltwin.ops.families.upsampling import Upsampling

LINES = Upsampling(
    "L",
    dtypes=("float32", "float16", "float64", "uint8", "bfloat16"),
    formats=("NCL",),
    scaled=False,
    lacking=(("Ascend910", "bfloat16"),),
    other_formats_refused=True,
)
COPIES = (0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8)
SAMPLE = LINES.sampled("three cells become five", (1, 3, 3), range(9), (5,), COPIES)
SPEC = LINES.forward("aclnnUpsampleNearest1d", SAMPLE).second_interface("upsample_nearest1d")
