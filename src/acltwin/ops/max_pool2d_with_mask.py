"""aclnnMaxPool2dWithMask."""

from __future__ import annotations

from acltwin.ops.families.masked_max_pool import MaskedMaxPool
from acltwin.ops.spec import CallCase, Sample, TensorCase

IMAGES = MaskedMaxPool(
    "HW",
    socs=("Ascend910_93", "Ascend910B", "Ascend910"),
    formats=("NCHW", "ND", "NCL"),
    channels_needed=True,
    lacking=(("Ascend910", "bfloat16"),),
)
"""As both operators have it."""
CELLS = (0.0850, -0.5147, -0.0212, -0.5654, -0.3222, 0.5847, 1.7510, 0.9954, 0.1842, 0.8392, 0.4835, 0.9213)
_SOURCE, _POOLED = TensorCase("float32", (1, 1, 4, 3), values=CELLS), TensorCase("float32", (1, 1, 2, 1))
_BYTES = (0, 0, 0, 0, 6, 0, 0, 0)
_ONE = {"kernelSize": (1, 1), "stride": (2, 2)}
_SAMPLE = Sample(
    "the mask begins with two indices of 4 bytes",
    CallCase({"self": _SOURCE, **IMAGES.window, "out": _POOLED, "indices": IMAGES.mask(_POOLED, 4)}),
    ((0.0850, 1.7510), (*_BYTES, *[0] * 248)),
)
_ONE_CELL = Sample(
    "a kernel of one cell sets bits instead",
    CallCase(
        {
            "self": _SOURCE,
            **IMAGES.window,
            **_ONE,
            "out": TensorCase("float32", (1, 1, 2, 2)),
            "indices": TensorCase("int8", (1, 1, 1, 64)),
        }
    ),
    ((CELLS[0], CELLS[2], CELLS[6], CELLS[8]), (*[-1] * 32, *[0] * 32)),
)
SPEC = IMAGES.masking(
    "max_pool2d_with_mask",
    "aclnnMaxPool2dWithMask",
    "aclnn_max_pool2d_with_indices.h",
    "max_pool2d_with_mask_backward",
    (_SAMPLE, _ONE_CELL),
)
