"""aclnnMaxUnpool2dBackward: it also takes bool, not float64, and its result may have another dtype."""

from dataclasses import replace

from acltwin.ops.families.max_unpool import IMAGES
from acltwin.ops.spec import SOCS

GRAD, POOLED = IMAGES.tensor(3, 1, batch=(1, 3), values=range(9)), IMAGES.tensor(2, 2, batch=(1, 3))
PLACES = POOLED.but(dtype="int32", values=(0, 1, 2, 1, 2, 0, 1, 1, 1, 0, 0, 0))
CHANGES = {"gradOutput": GRAD, "self": POOLED, "indices": PLACES, "outputSize": (3, 1), "out": POOLED}
FETCHED = (0.0, 1.0, 2.0, 1.0, 5.0, 3.0, 4.0, 4.0, 7.0, 6.0, 6.0, 6.0)
SPEC = replace(
    IMAGES,
    dtypes=("float32", "float16", "int8", "uint8", "int16", "int32", "int64", "bool"),
    socs=SOCS,
    casts=True,
).gradient(
    "aclnnMaxUnpool2dBackward",
    IMAGES.sample("every index fetches a gradient of its own plane", CHANGES, FETCHED),
)
