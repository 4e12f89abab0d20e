"""aclnnUpsampleNearestExact1dBackward."""

from __future__ import annotations

from acltwin.ops.families.exact_gradient import ExactGradient
from acltwin.ops.spec import Sample, TensorCase

_LINES = ExactGradient("L", socs=("Ascend950", "Ascend910_93", "Ascend910B"), scale_names=("scales",))
_GRAD_OUTPUT = TensorCase("float32", (1, 1, 2), "NCL", values=(1.0, 2.0))

SPEC = _LINES.operator(
    "upsample_nearest_exact1d",
    "aclnnUpsampleNearestExact1dBackward",
    "aclnn_upsample_nearest_exact1d_backward.h",
    samples=(
        Sample(
            "a factor below 1: every gradient lands on a cell of its own",
            _LINES.call(_GRAD_OUTPUT, TensorCase("float32", (1, 1, 4), "NCL"), 0.5),
            ((0.0, 1.0, 0.0, 2.0),),
        ),
    ),
)
