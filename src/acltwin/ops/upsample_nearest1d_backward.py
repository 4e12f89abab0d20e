"""aclnnUpsampleNearest1dBackward."""

from acltwin.ops.families.upsampling_gradient import UpsamplingGradient

LINES = UpsamplingGradient(
    "L",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    scale_names=("scales",),
    scales_fit=True,
    result="out",
    scale_note='``rule="device"`` ignores it unless input size * scale, rounded down, is the output size.',
)
IGNORED = "a scale that does not fit the sizes is ignored"
SPEC = LINES.gradient(
    "aclnnUpsampleNearest1dBackward",
    LINES.blocks,
    LINES.sampled(IGNORED, (1, 1, 2), (1.0, 4.1), (3,), (1.0, 4.1, 0.0), scale=1.1),
)
