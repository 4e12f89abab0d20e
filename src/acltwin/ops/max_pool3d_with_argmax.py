"""aclnnMaxPool3dWithArgmax."""

from acltwin.ops.families.max_pool import MaxPool

SPEC = MaxPool("DHW").forward("aclnnMaxPool3dWithArgmax", aten="max_pool3d_with_indices")
