"""aclnnMaxUnpool2d."""

from acltwin.ops.families.max_unpool import IMAGES

POOLED = IMAGES.tensor(2, 2, batch=(1, 1), values=range(1, 5))
PLACES = POOLED.but(dtype="int64", values=(3, 8, 11, 13))
SPEC = IMAGES.forward(
    "max_unpool2d",
    "aclnnMaxUnpool2d",
    IMAGES.sample(
        "four maxima return to where they were",
        {"self": POOLED, "indices": PLACES, "out": IMAGES.tensor(4, 4, batch=(1, 1))},
        (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0),
    ),
)
