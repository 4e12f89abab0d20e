"""aclnnMaxUnpool3dBackward: its indices are int64, and its result is called out."""

from dataclasses import replace

from acltwin.ops.families.max_unpool import VOLUMES

PLANE = VOLUMES.tensor(1, 4, 4, batch=(1,))
PLACES = PLANE.but(dtype="int64", values=(0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 11, 0, 0, 0, 13))
CHANGES = {
    "gradOutput": PLANE.but(values=(1.0,) * 16),
    "self": PLANE.but(values=(*map(float, range(16)),)),
    "indices": PLACES,
    "outputSize": (1, 4, 4),
    "stride": (1, 2, 3),
    "padding": (1, 2, 3),
    "out": PLANE,
}
SPEC = replace(VOLUMES, result="out", index_dtypes=("int64",)).gradient(
    "aclnnMaxUnpool3dBackward", VOLUMES.sample("every index fetches a one", CHANGES, (1.0,) * 16)
)
