"""aclnnUpsampleNearest1d, which takes no scale."""

from dataclasses import replace

from acltwin.ops.upsample_nearest1d import LINES

OLD = replace(LINES, scaled=False, unscaled_dtypes=())
COPIES = (0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8)
SAMPLE = OLD.sampled("three cells become five", (1, 3, 3), range(9), (5,), COPIES)
SPEC = OLD.forward("aclnnUpsampleNearest1d", SAMPLE).second_interface("upsample_nearest1d")
