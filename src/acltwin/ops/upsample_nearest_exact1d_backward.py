"""aclnnUpsampleNearestExact1dBackward."""

from acltwin.ops.families.exact_gradient import ExactGradient
from acltwin.ops.spec import FROM_910B

LINES = ExactGradient("L", socs=FROM_910B, scale_names=("scales",))
TITLE = "a factor below 1: every gradient lands on a cell of its own"
SPEC = LINES.gradient(
    "aclnnUpsampleNearestExact1dBackward",
    LINES.sampled(TITLE, (1, 1, 2), (1.0, 2.0), (4,), (0.0, 1.0, 0.0, 2.0), scale=0.5),
)
