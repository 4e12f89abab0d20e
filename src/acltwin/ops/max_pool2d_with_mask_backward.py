"""aclnnMaxPool2dWithMaskBackward."""

from __future__ import annotations

from acltwin.ops.max_pool2d_with_mask import IMAGES
from acltwin.ops.spec import CallCase, Sample, TensorCase

_SOURCE, _GRAD = TensorCase("float32", (1, 1, 4, 3)), TensorCase("float32", (1, 1, 2, 1), values=(0.4757, 0.1726))
_SAMPLE = Sample(
    "zeros name the first cell of the plane",
    CallCase(
        {
            "gradOutput": _GRAD,
            "self": _SOURCE,
            "indices": IMAGES.mask(_GRAD, 4, 0),
            **IMAGES.window,
            "gradInput": _SOURCE,
        }
    ),
    ((0.6483, *[0.0] * 11),),
    tolerance=1e-6,
)
_ONE_CELL = Sample(
    "with a kernel of one cell each gradient goes to the cell of its window",
    CallCase(
        {
            "gradOutput": TensorCase("float32", (1, 1, 2, 2), values=(1.0, 2.0, 3.0, 4.0)),
            "self": _SOURCE,
            "indices": TensorCase("int8", (1, 1, 1, 64), values=(*[-1.0] * 32, *[0.0] * 32)),
            **IMAGES.window,
            "kernelSize": (1, 1),
            "gradInput": _SOURCE,
        }
    ),
    ((1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 0.0),),
)
SPEC = IMAGES.masking_gradient(
    "max_pool2d_with_mask_backward",
    "aclnnMaxPool2dWithMaskBackward",
    "aclnn_max_pool2d_with_indices_backward.h",
    "max_pool2d_with_mask",
    (_SAMPLE, _ONE_CELL),
)
