"""aclnnUpsampleTrilinear3d."""

from acltwin.ops.families.upsampling import Upsampling

VOLUMES = Upsampling(
    "DHW",
    filter="linear",
    dtypes=("float32", "float16", "bfloat16", "float64"),
    formats=("NCDHW", "NDHWC", "ND"),
    lacking=(("Ascend910", "bfloat16"), ("Ascend950", "float64")),
    scales_together=True,
    other_formats_refused=True,
)
ROW = (1.0, 1.25, 1.75, 2.0)
RESULT = tuple(cell + row + plane for plane in (0, 1, 3, 4) for row in (0, 0.5, 1.5, 2) for cell in ROW)
SPEC = VOLUMES.forward(
    "aclnnUpsampleTrilinear3d",
    VOLUMES.sampled("twice as many cells along every axis", (1, 1, 2, 2, 2), range(1, 9), (4, 4, 4), RESULT),
)
