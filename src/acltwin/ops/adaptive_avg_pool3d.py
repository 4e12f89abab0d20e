"""aclnnAdaptiveAvgPool3d."""

from acltwin.ops.families.average import Average
from acltwin.ops.spec import FROM_910B

VOLUMES = Average("DHW", socs=FROM_910B, lacking=())
SOURCE = VOLUMES.tensor(2, 2, 4, batch=(2, 1), values=[*range(1, 17)] * 2)
CHANGES = {"self": SOURCE, "outputSize": (2, 2, 2), "out": VOLUMES.tensor(2, 2, 2, batch=(2, 1))}
AVERAGES = tuple(1.5 + 2 * i for i in range(8)) * 2
SPEC = VOLUMES.adaptive("aclnnAdaptiveAvgPool3d", VOLUMES.sample("pairs of columns", CHANGES, AVERAGES))
