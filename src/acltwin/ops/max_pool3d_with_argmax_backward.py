"""aclnnMaxPool3dWithArgmaxBackward."""

from dataclasses import replace

from acltwin.ops.families.max_pool import MaxPool

SPEC = MaxPool("DHW").gradient("max_pool3d_with_argmax", "aclnnMaxPool3dWithArgmaxBackward")
SPEC = replace(SPEC, aten="max_pool3d_with_indices_backward")
