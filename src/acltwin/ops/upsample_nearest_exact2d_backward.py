"""aclnnUpsampleNearestExact2dBackward."""

from acltwin.ops.families.exact_gradient import ExactGradient

IMAGES = ExactGradient("HW", socs=("Ascend910B", "Ascend910_93"), device_socs=("Ascend950",), empty_succeeds_first=True)
COLLECTED = (6.0, 0.0, 0.0, 0.0, 22.0, *(0.0,) * 27)
SPREAD = tuple(
    float(row // 2 * 2 + column // 2) if row % 2 and column % 2 else 0.0 for row in range(8) for column in range(4)
)
FEW = "a factor of 2 on tensors that shrink: only two cells collect anything"
ALL = "the factor that the sizes imply: every gradient lands on a cell of its own"
SPEC = IMAGES.gradient(
    "aclnnUpsampleNearestExact2dBackward",
    IMAGES.sampled(FEW, (1, 1, 4, 2), range(8), (8, 4), COLLECTED, scale=2.0),
    IMAGES.sampled(ALL, (1, 1, 4, 2), range(8), (8, 4), SPREAD),
)
