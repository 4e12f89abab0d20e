"""aclnnUpsampleNearestExact3dBackward."""

from acltwin.ops.families.upsampling_gradient import VOLUMES, limit_rules
from acltwin.ops.spec import ACLNN, Rule

LIMIT = "No axis may be enlarged more than 50 times: each scale, or outputSize / inputSize where it is not given."
FACTOR = Rule("scale_factor", LIMIT, {"scalesD": 51.0}, ACLNN)
SPEC = VOLUMES.gradient("aclnnUpsampleNearestExact3dBackward", extra=(FACTOR, *limit_rules(VOLUMES)))
