"""aclnnMaxUnpool3dBackward: its indices are int64, and its result is called out."""

from dataclasses import replace

from acltwin.ops.families.max_unpool import VOLUMES

PLANES, ASCENDING = VOLUMES.tensor(1, 4, 4, batch=(1,)), VOLUMES.tensor(1, 4, 4, batch=(1,), values=range(16))
SPEC = replace(VOLUMES, result="out", index_dtypes=("int64",)).gradient(
    "max_unpool3d",
    "aclnnMaxUnpool3dBackward",
    VOLUMES.sample(
        "every index fetches a one",
        {
            "gradOutput": PLANES.but(values=(1.0,) * 16),
            "self": ASCENDING,
            "indices": PLANES.but(dtype="int64", values=(0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 11, 0, 0, 0, 13)),
            "outputSize": (1, 4, 4),
            "stride": (1, 2, 3),
            "padding": (1, 2, 3),
            "out": PLANES,
        },
        (1.0,) * 16,
    ),
)
