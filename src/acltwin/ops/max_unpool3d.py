"""aclnnMaxUnpool3d."""

from acltwin.ops.families.max_unpool import VOLUMES

POOLED, UNPOOLED = VOLUMES.tensor(1, 2, 2, batch=(1, 1), values=range(5, 9)), VOLUMES.tensor(1, 4, 4, batch=(1, 1))
PLACES = POOLED.but(dtype="int64", values=(1, 3, 8, 14))
SPEC = VOLUMES.forward(
    "max_unpool3d",
    "aclnnMaxUnpool3d",
    VOLUMES.sample(
        "four maxima return to where they were",
        {"self": POOLED, "indices": PLACES, "outputSize": (1, 4, 4), "stride": (1, 2, 2), "outRef": UNPOOLED},
        (0.0, 5.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0),
    ),
)
