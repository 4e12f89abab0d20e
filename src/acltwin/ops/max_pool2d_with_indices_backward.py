"""aclnnMaxPool2dWithIndicesBackward: before Ascend950 it takes only float32, with int32 indices."""

from dataclasses import replace

from acltwin.ops.families.max_pool import IMAGES
from acltwin.ops.spec import SOCS

SPEC = replace(
    IMAGES,
    lacking=tuple((soc, dtype) for soc in SOCS if soc != "Ascend950" for dtype in ("float16", "bfloat16")),
    wide_indices=("Ascend950",),
).gradient("aclnnMaxPool2dWithIndicesBackward")
