"""aclnnAvgPool2d."""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops.families.average import IMAGES

SPEC = replace(IMAGES, stride_name="strides", padding_name="paddings").forward("aclnnAvgPool2d", "aclnn_avgpool2d.h")
