"""aclnnAvgPool3dBackward: kernels may be larger than the input, and the result is called output."""

from dataclasses import replace

from acltwin.ops.families.average import VOLUMES

SPEC = replace(VOLUMES, kernel_within_input=False).gradient("aclnnAvgPool3dBackward", "output")
