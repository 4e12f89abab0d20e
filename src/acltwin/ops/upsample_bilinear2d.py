"""aclnnUpsampleBilinear2d: a null self or out is 561103, a null outputSize 161002."""

from acltwin.ops.families.resampling import device_rule
from acltwin.ops.families.upsampling import Upsampling
from acltwin.ops.spec import EVERYWHERE, INNER_NULL_POINTER, INVALID_PARAMETER

IMAGES = Upsampling(
    "HW",
    filter="linear",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    scale_note='``rule="device"`` uses them only if both are given and fit the sizes, and never for channels-last '
    "images, except on Ascend950.",
    empty_succeeds=True,
    other_formats_refused=True,
    negative_scales=EVERYWHERE,
    null_codes=(("self", INNER_NULL_POINTER), ("out", INNER_NULL_POINTER), ("outputSize", INVALID_PARAMETER)),
)
SMALL, LARGE = IMAGES.tensor(2, 2).but(dtype="float64"), IMAGES.tensor(4, 4).but(dtype="float64")
RESULT = tuple(6 * row / 7 + column / 3 for row in range(8) for column in range(4))
SPEC = IMAGES.forward(
    "aclnnUpsampleBilinear2d",
    IMAGES.sampled("corners lie on each other", (1, 1, 4, 2), range(8), (8, 4), RESULT, align=True, scale=2.0),
    extra=(device_rule("float64_format", "float64 tensors must be NHWC.", self=SMALL, out=LARGE),),
)
