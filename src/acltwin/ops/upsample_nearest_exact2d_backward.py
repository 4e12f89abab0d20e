"""aclnnUpsampleNearestExact2dBackward."""

from __future__ import annotations

from acltwin.ops.families.exact_gradient import ExactGradient
from acltwin.ops.spec import Sample, TensorCase

_IMAGES = ExactGradient(
    "HW", socs=("Ascend910B", "Ascend910_93"), device_socs=("Ascend950",), empty_succeeds_first=True
)
_GRAD_OUTPUT = TensorCase("float32", (1, 1, 4, 2), "NCHW", values=tuple(range(8)))
_OUT = TensorCase("float32", (1, 1, 8, 4), "NCHW")

SPEC = _IMAGES.operator(
    "upsample_nearest_exact2d",
    "aclnnUpsampleNearestExact2dBackward",
    "aclnn_upsample_nearest_exact2d_backward.h",
    samples=(
        Sample(
            "a factor of 2 on tensors that shrink: only two cells collect anything",
            _IMAGES.call(_GRAD_OUTPUT, _OUT, 2.0),
            ((6.0, 0.0, 0.0, 0.0, 22.0, *(0.0,) * 27),),
        ),
        Sample(
            "the factor that the sizes imply: every gradient lands on a cell of its own",
            _IMAGES.call(_GRAD_OUTPUT, _OUT),
            (
                tuple(
                    float(row // 2 * 2 + column // 2) if row % 2 and column % 2 else 0.0
                    for row in range(8)
                    for column in range(4)
                ),
            ),
        ),
    ),
)
