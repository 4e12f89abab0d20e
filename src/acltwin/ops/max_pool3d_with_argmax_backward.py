"""aclnnMaxPool3dWithArgmaxBackward."""

from acltwin.ops.families.max_pool import MaxPool

SPEC = MaxPool("DHW").gradient("aclnnMaxPool3dWithArgmaxBackward", aten="max_pool3d_with_indices_backward")
