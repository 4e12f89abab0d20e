"""aclnnMaxPool, whose arguments are those of ONNX."""

from acltwin.ops.families.plain_max_pool import PlainMaxPool
from acltwin.ops.spec import SOCS

ON_950 = ("bfloat16", "int32", "int64", "uint8", "int16", "int8", "uint16")
IMAGES = PlainMaxPool(
    "HW",
    dtypes=("float32", "float16", *ON_950),
    formats=("ND", "NCHW", "NCL"),
    lacking=(("Ascend910", "float32"), *((soc, dtype) for dtype in ON_950 for soc in SOCS if soc != "Ascend950")),
)
IMAGE, POOLED = IMAGES.tensor(3, 3, batch=(2, 2), values=range(1, 37)), IMAGES.tensor(2, 2, batch=(2, 2))
CHANGES = {"self": IMAGE.but(dtype="float32"), "pads": (0, 0, 0, 0), "ceilMode": 1, "out": POOLED.but(dtype="float32")}
MAXIMA = (5, 6, 8, 9, 14, 15, 17, 18, 23, 24, 26, 27, 32, 33, 35, 36)
SPEC = IMAGES.forward("aclnnMaxPool", IMAGES.sample("in ceil_mode the last windows have fewer cells", CHANGES, MAXIMA))
