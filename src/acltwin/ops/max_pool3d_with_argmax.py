"""aclnnMaxPool3dWithArgmax."""

from dataclasses import replace

from acltwin.ops.families.max_pool import MaxPool

SPEC = MaxPool("DHW").forward("max_pool3d_with_argmax", "aclnnMaxPool3dWithArgmax")
SPEC = replace(SPEC, aten="max_pool3d_with_indices")
