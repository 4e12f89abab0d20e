"""3-D max unpooling.

Each element of ``input`` goes to the place that ``indices`` names in a larger plane of zeros. Where two elements
name the same place, the later one stays.

Args:
    input: the pooled tensor, (N, C, D, H, W), or (N, D, H, W) with one plane per N. Any of float32, float16,
        bfloat16, float64, int8, uint8, int16, int32, int64: elements are copied as they are.
    indices: int64 or int32, shaped like ``input``: places in the flattened D*H*W plane of the result.
    output_size: D, H, W of the result.
    stride, padding: those of the pooling that is undone. They are checked; the result does not depend on them.
    data_format: order of the axes of all tensors, which are 5-D for ``"NDHWC"``. Indices do not depend on it: cell
        d, h, w has the index ``(d * H + h) * W + w``.
    out: where to write the result, instead of a new array. It must be contiguous.

Returns:
    The unpooled tensor, an array of the same kind and dtype as ``input``.

Raises:
    IndexError: an index lies outside its plane; the message names its position and value.

>>> import numpy as np
>>> pooled = np.array([5.0, 7.0], np.float32).reshape(1, 1, 1, 1, 2)
>>> indices = np.array([1, 2]).reshape(pooled.shape)
>>> max_unpool3d(pooled, indices, (1, 1, 4), (1, 1, 2), 0).ravel().tolist()
[0.0, 5.0, 7.0, 0.0]
"""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops import _unpool
from acltwin.ops._rules import (
    contiguous_rule,
    dtype_rule,
    length_rule,
    null_rules,
    rank_rule,
    same_dtype_rule,
    same_rank_rule,
    same_shape_rule,
    tensor_shape_rule,
)
from acltwin.ops.spec import KERNEL_EXCEPTION, SOCS, Argument, CallCase, OpSpec, Rule, Sample, TensorCase

_POOLED = Argument(
    "self",
    "tensor",
    "The pooled tensor: (N, D, H, W) or (N, C, D, H, W).",
    dtypes=_unpool.DTYPES,
    array_dtypes=("bfloat16",),
    formats=("ND", "NCDHW"),
    ranks=(4, 5),
)
_INDEX = replace(
    _POOLED,
    name="indices",
    doc="Where each element of self goes in the flattened D*H*W plane of outRef.",
    dtypes=("int32", "int64"),
    array_dtypes=(),
    holds="indices",
)
_ARGUMENTS = (
    _POOLED,
    _INDEX,
    Argument("outputSize", "int_array", "D, H, W of outRef."),
    *_unpool.WINDOW_ARGUMENTS,
    replace(_POOLED, name="outRef", doc="The unpooled tensor: the result. It must be contiguous.", role="output"),
)

_SELF = TensorCase("float32", (1, 2, 1, 2, 2))
_INDICES = TensorCase("int64", (1, 2, 1, 2, 2))
_OUT_REF = TensorCase("float32", (1, 2, 2, 4, 4))

_RULES = (
    *null_rules(_ARGUMENTS),
    tensor_shape_rule("self", _SELF),
    contiguous_rule("outRef", _OUT_REF.but(strides=(64, 32, 16, 1, 4))),
    dtype_rule(_POOLED, _SELF.but(dtype="uint16")),
    same_dtype_rule("outRef", "self", _OUT_REF.but(dtype="float16")),
    dtype_rule(_INDEX, _INDICES.but(dtype="int16")),
    rank_rule(_POOLED, _SELF.but(shape=(1, 2, 2))),
    same_rank_rule("indices", "self", _INDICES.but(shape=(2, 1, 2, 2))),
    same_rank_rule("outRef", "self", _OUT_REF.but(shape=(2, 2, 4, 4))),
    same_shape_rule("indices", "self", _INDICES.but(shape=(1, 2, 1, 2, 3))),
    Rule(
        "self_size",
        "Every dimension of self but the first must be above 0.",
        {
            "self": _SELF.but(shape=(1, 0, 1, 2, 2)),
            "indices": _INDICES.but(shape=(1, 0, 1, 2, 2)),
            "outRef": _OUT_REF.but(shape=(1, 0, 2, 4, 4)),
        },
    ),
    length_rule("outputSize", (3,), "(D, H, W of the result)", (2, 4)),
    *_unpool.WINDOW_RULES,
    Rule(
        "output_size_volume",
        "outputSize must have at least as many cells as the D*H*W of self.",
        {"outputSize": (1, 1, 2), "outRef": _OUT_REF.but(shape=(1, 2, 1, 1, 2))},
    ),
    Rule(
        "output_size_bytes",
        "A tensor of self's N and C and of outputSize must have fewer than 2^63 bytes.",
        {"outputSize": (2, 2**40, 2**40)},
    ),
    Rule("out_ref_size", "D, H, W of outRef must be outputSize.", {"outRef": _OUT_REF.but(shape=(1, 2, 2, 4, 5))}),
    Rule(
        "out_ref_batch",
        "outRef must have self's N, and C if there is one.",
        {"outRef": _OUT_REF.but(shape=(1, 3, 2, 4, 4))},
    ),
    Rule(
        "index_range",
        "Every index must lie in the plane: 0 <= index < D*H*W of outRef.",
        {"indices": _INDICES.but(values=(0, 1, 2, 3, 4, 32, 6, 7))},
        code=KERNEL_EXCEPTION,
        phase="run",
    ),
)

SPEC = OpSpec(
    name="max_unpool3d",
    c_name="aclnnMaxUnpool3d",
    header="aclnn_max_unpool3d.h",
    summary="3-D max unpooling: each element goes to the place its index names in a plane of zeros.",
    formula="outRef = 0, then outRef[n,c,indices[n,c,j]] = self[n,c,j] for ascending j",
    arguments=_ARGUMENTS,
    socs=SOCS,
    valid=CallCase(
        {
            "self": _SELF,
            "indices": _INDICES,
            "outputSize": (2, 4, 4),
            "stride": (2, 2, 2),
            "padding": (0, 0, 0),
            "outRef": _OUT_REF,
        }
    ),
    rules=_RULES,
    samples=(
        Sample(
            "four maxima return to where they were",
            CallCase(
                {
                    "self": TensorCase("float32", (1, 1, 1, 2, 2), values=(5.0, 6.0, 7.0, 8.0)),
                    "indices": TensorCase("int64", (1, 1, 1, 2, 2), values=(1, 3, 8, 14)),
                    "outputSize": (1, 4, 4),
                    "stride": (1, 2, 2),
                    "padding": (0, 0, 0),
                    "outRef": TensorCase("float32", (1, 1, 1, 4, 4)),
                }
            ),
            ((0.0, 5.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0),),
        ),
    ),
    family="unpool",
    partner="max_unpool3d_backward",
    is_gradient=False,
    lone_axis="N",
    channels_last_arrays=True,
)
