"""aclnnUpsampleNearest2d, which takes no scales."""

from acltwin.ops.families.upsampling import Upsampling

IMAGES = Upsampling(
    "HW",
    dtypes=("float32", "float16", "float64", "uint8", "bfloat16"),
    scaled=False,
    lacking=(("Ascend910", "bfloat16"),),
    other_formats_refused=True,
)
BLOCKS = tuple(float(row // 2 * 2 + column // 2) for row in range(8) for column in range(4))
SAMPLE = IMAGES.sampled("every cell becomes four", (1, 1, 4, 2), range(8), (8, 4), BLOCKS)
SPEC = IMAGES.forward("aclnnUpsampleNearest2d", SAMPLE).second_interface("upsample_nearest2d")
