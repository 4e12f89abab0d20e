"""aclnnUpsampleLinear1dBackward."""

from acltwin.ops.families.resampling import device_rule
from acltwin.ops.families.upsampling_gradient import UpsamplingGradient

LINES = UpsamplingGradient(
    "L",
    filter="linear",
    lacking=(("Ascend910", "bfloat16"),),
    scale_names=("scales",),
    scale_note='``rule="device"`` ignores one that does not fit the sizes, except on Ascend950.',
    negative_means_none=True,
    result="out",
)
LIMIT = "L may be enlarged at most 500 times on Ascend910B and Ascend910_93: scales, or outputSize / inputSize."
SPREAD = (1.0, 0.0, 1.0, 1.0, 0.0, 3.0)
SPEC = LINES.gradient(
    "aclnnUpsampleLinear1dBackward",
    LINES.sampled("cells that lie on each other", (1, 1, 3), range(1, 4), (6,), SPREAD, align=True, scale=1.1),
    extra=(device_rule("line_factor_limit", LIMIT, scales=501.0),),
)
