"""3-D max pooling that tells where each maximum was.

Each window keeps its maximum; ``indices`` says where it is. Of equal values the first one in C order counts. A NaN
counts as larger than everything, and of several NaNs the last one gives the index. Padding is never the maximum.

Args:
    input: the tensor to pool, (N, C, D, H, W) or (C, D, H, W); float32, float16, bfloat16 or float64.
    kernel_size, stride, padding, dilation: one number or (D, H, W). A stride of ``None`` or ``()`` means the kernel
        size.
    ceil_mode: whether the number of windows is rounded up.
    index_dtype: dtype of new indices; with ``out``, that of its second array counts. int32 reaches planes of up to
        2^31 - 1 cells.
    data_format: order of the axes of all tensors, which are 5-D for ``"NDHWC"``. Indices do not depend on it: cell
        d, h, w has the index ``(d * H + h) * W + w``.
    out: where to write the results, instead of new arrays: a pair of arrays.

Returns:
    The maxima, an array of the same kind and dtype as ``input``, and the indices: places in the flattened, unpadded
    D*H*W plane of ``input``.

>>> import numpy as np
>>> image = np.array([1, 5, 7, 3], np.float32).reshape(1, 1, 1, 1, 4)
>>> maxima, indices = max_pool3d_with_argmax(image, (1, 1, 2), None, 0, 1, False)
>>> maxima.ravel().tolist(), indices.ravel().tolist()
([5.0, 7.0], [1, 2])
"""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops import _pool_window
from acltwin.ops._rules import (
    dtype_rule,
    null_rules,
    public_format_rule,
    rank_rule,
    same_dtype_rule,
    same_format_rule,
    same_rank_rule,
    same_shape_rule,
    soc_dtype_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.spec import ACLNN, ARRAY, DOCUMENTED, Argument, CallCase, OpSpec, Rule, Sample, TensorCase, Value

_DTYPES = ("float32", "float16", "bfloat16")
_SOCS = ("Ascend950", "Ascend910_93", "Ascend910B")

_INPUT = Argument(
    "self",
    "tensor",
    "The tensor to pool: (C, D, H, W) or (N, C, D, H, W).",
    dtypes=_DTYPES,
    array_dtypes=("float64",),
    formats=("ND",),
    ranks=(4, 5),
)
_INDEX = replace(
    _INPUT,
    name="indices",
    doc="Where each maximum is in the flattened, unpadded D*H*W plane of self: the second result. int64 on "
    "Ascend950 alone.",
    role="output",
    dtypes=("int32", "int64"),
    array_dtypes=(),
    holds="indices",
    lacking=_pool_window.INT64_LACKING,
)
_ARGUMENTS = (
    _INPUT,
    *_pool_window.ARGUMENTS,
    replace(_INPUT, name="out", doc="The maximum of each window: the first result.", role="output"),
    _INDEX,
)

_SELF = TensorCase("float32", (1, 2, 2, 4, 4))
_OUT = TensorCase("float32", (1, 2, 1, 2, 2))
_INDICES = TensorCase("int32", (1, 2, 1, 2, 2))

_TYPE_RULES = (
    dtype_rule(_INPUT, _SELF.but(dtype="int32")),
    dtype_rule(_INDEX, _INDICES.but(dtype="int16")),
    soc_dtype_rule(_INDEX, {"indices": _INDICES.but(dtype="int64")}),
    same_dtype_rule("out", "self", _OUT.but(dtype="float16")),
    same_format_rule(("out",), "self", {"out": _OUT.but(format="NCDHW")}),
    public_format_rule("indices", _INDICES),
    rank_rule(_INPUT, _SELF.but(shape=(2, 4, 4))),
    same_rank_rule("out", "self", _OUT.but(shape=(2, 1, 2, 2))),
    same_rank_rule("indices", "self", _INDICES.but(shape=(2, 1, 2, 2))),
)

_DILATION_ONE = Rule(
    "dilation_one",
    "dilation must be 1.",
    {"self": _SELF.but(shape=(1, 2, 3, 4, 4)), "dilation": (2, 1, 1)},
    DOCUMENTED,
    shared="pool",
)

_ONE = (1, 1, 1, 1, 1)
_HUGE_PLANE: dict[str, Value | str] = {
    "self": TensorCase("float32", (1, 1, 2**11, 2**10, 2**10), strides=(0,) * 5),
    "kernelSize": (2**11, 2**10, 2**10),
    "stride": (),
    "padding": (0, 0, 0),
    "out": _OUT.but(shape=_ONE),
    "indices": _INDICES.but(shape=_ONE),
}

_SHAPE_RULES = (
    Rule("self_size", "D, H, W of self must be above 0.", {"self": _SELF.but(shape=(1, 2, 2, 0, 4))}),
    Rule(
        "window_fits",
        "At least one window must fit into self and its padding along each axis.",
        {"kernelSize": (3, 2, 2), "stride": (2, 2, 2)},
    ),
    Rule(
        "window_cells",
        "Every window must cover a cell of self. (Only dilation can leave one in the padding alone.)",
        {
            "padding": (0, 1, 0),
            "dilation": (1, 5, 1),
            "out": _OUT.but(shape=(1, 2, 1, 1, 2)),
            "indices": _INDICES.but(shape=(1, 2, 1, 1, 2)),
        },
        ("array", "device"),
    ),
    Rule(
        "plane_size", "D*H*W of self must be at most 2^31 - 1, except on Ascend950.", _HUGE_PLANE, ACLNN, shared="pool"
    ),
    Rule(
        "indices_width",
        "int32 indices need a D*H*W of self of at most 2^31 - 1.",
        {**_HUGE_PLANE, "soc": "Ascend950"},
    ),
    Rule(
        "out_bytes",
        "out and indices must have fewer than 2^63 bytes each.",
        {
            "self": TensorCase("float32", (1, 2**30, 2**20, 2**10, 1), strides=(0,) * 5),
            "kernelSize": (1, 1, 2),
            "stride": (1, 1, 1),
            "padding": (0, 0, 1),
        },
        ARRAY,
    ),
    Rule(
        "out_shape",
        "out must have self's N and C, and one cell for each window.",
        {"out": _OUT.but(shape=(1, 2, 1, 2, 3)), "indices": _INDICES.but(shape=(1, 2, 1, 2, 3))},
    ),
    same_shape_rule("indices", "out", _INDICES.but(shape=(1, 2, 1, 2, 3))),
)

SPEC = OpSpec(
    name="max_pool3d_with_argmax",
    c_name="aclnnMaxPool3dWithArgmax",
    header="aclnn_max_pool3d_with_argmax.h",
    summary="3-D max pooling: the maximum of each window, and where it was.",
    formula="out[n,c,j] = max of self[n,c,i] over the cells i of window j; indices[n,c,j] = the first i that has it",
    arguments=_ARGUMENTS,
    socs=_SOCS,
    valid=CallCase(
        {
            "self": _SELF,
            "kernelSize": (2, 2, 2),
            "stride": (2, 2, 2),
            "padding": (0, 0, 0),
            "dilation": (1, 1, 1),
            "ceilMode": False,
            "out": _OUT,
            "indices": _INDICES,
        }
    ),
    rules=(
        *null_rules(_ARGUMENTS),
        *soc_rule(_SOCS),
        tensor_shape_rule("self", _SELF),
        *_TYPE_RULES,
        *_pool_window.RULES,
        _DILATION_ONE,
        *_SHAPE_RULES,
    ),
    samples=(
        Sample(
            "one window whose maximum is cell 6",
            CallCase(
                {
                    "self": TensorCase(
                        "float32",
                        (1, 1, 2, 2, 2),
                        values=(0.0850, -0.5147, -0.0212, -0.5654, -0.3222, 0.5847, 1.7510, 0.9954),
                    ),
                    "kernelSize": (2, 2, 2),
                    "stride": (2, 2, 2),
                    "padding": (0, 0, 0),
                    "dilation": (1, 1, 1),
                    "ceilMode": False,
                    "out": TensorCase("float32", (1, 1, 1, 1, 1)),
                    "indices": TensorCase("int32", (1, 1, 1, 1, 1)),
                }
            ),
            ((1.7510,), (6.0,)),
        ),
    ),
    family="pool",
    partner="max_pool3d_with_argmax_backward",
    is_gradient=False,
    lone_axis="C",
    channels_last_arrays=True,
)
