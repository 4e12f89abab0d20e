"""3-D max unpooling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acltwin import _core
from acltwin.ops._arrays import Array, Ints
from acltwin.ops.spec import (
    KERNEL_EXCEPTION,
    SOCS,
    Argument,
    CallCase,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
    null_rules,
    tensor_shape_rule,
)

_DTYPES = ("float32", "float16", "float64", "int8", "uint8", "int16", "int32", "int64")
_POOLED = Argument(
    "self",
    "tensor",
    "The pooled tensor: (N, D, H, W) or (N, C, D, H, W).",
    dtypes=_DTYPES,
    array_dtypes=("bfloat16",),
    formats=("ND", "NCDHW"),
    ranks=(4, 5),
)
_ARGUMENTS = (
    _POOLED,
    replace(
        _POOLED,
        name="indices",
        doc="Where each element of self goes in the flattened D*H*W plane of outRef.",
        dtypes=("int32", "int64"),
        array_dtypes=(),
        holds="indices",
    ),
    Argument("outputSize", "int_array", "D, H, W of outRef."),
    Argument("stride", "int_array", "Stride of the pooling that is undone; checked, not needed."),
    Argument("padding", "int_array", "Padding of the pooling that is undone; its values are free."),
    replace(_POOLED, name="outRef", doc="The unpooled tensor: the result. It must be contiguous.", role="output"),
)

_SELF = TensorCase("float32", (1, 2, 1, 2, 2))
_INDICES = TensorCase("int64", (1, 2, 1, 2, 2))
_OUT_REF = TensorCase("float32", (1, 2, 2, 4, 4))

_RULES = (
    *null_rules(_ARGUMENTS),
    tensor_shape_rule("self", _SELF),
    Rule("out_ref_contiguous", "outRef is contiguous.", {"outRef": _OUT_REF.but(strides=(64, 32, 16, 1, 4))}),
    Rule(
        "self_dtype",
        f"self is {', '.join(_DTYPES)}; the array function takes bfloat16 too.",
        {"self": _SELF.but(dtype="uint16")},
    ),
    Rule("out_ref_dtype", "outRef has self's dtype.", {"outRef": _OUT_REF.but(dtype="float16")}),
    Rule("indices_dtype", "indices is int32 or int64.", {"indices": _INDICES.but(dtype="int16")}),
    Rule("self_rank", "self has 4 or 5 dimensions.", {"self": _SELF.but(shape=(1, 2, 2))}),
    Rule("indices_rank", "indices has self's rank.", {"indices": _INDICES.but(shape=(2, 1, 2, 2))}),
    Rule("out_ref_rank", "outRef has self's rank.", {"outRef": _OUT_REF.but(shape=(2, 2, 4, 4))}),
    Rule("indices_shape", "indices has self's shape.", {"indices": _INDICES.but(shape=(1, 2, 1, 2, 3))}),
    Rule(
        "self_size",
        "Every dimension of self but the first is above 0.",
        {
            "self": _SELF.but(shape=(1, 0, 1, 2, 2)),
            "indices": _INDICES.but(shape=(1, 0, 1, 2, 2)),
            "outRef": _OUT_REF.but(shape=(1, 0, 2, 4, 4)),
        },
    ),
    Rule("output_size_length", "outputSize has 3 values: D, H, W of outRef.", {"outputSize": (2, 4)}),
    Rule("stride_length", "stride has 3 values; the array function takes one for all axes too.", {"stride": (2, 2)}),
    Rule("padding_length", "padding has 3 values; the array function takes one for all axes too.", {"padding": (0, 0)}),
    Rule("stride_positive", "The values of stride are above 0.", {"stride": (2, 0, 2)}),
    Rule("output_size_positive", "The values of outputSize are above 0.", {"outputSize": (2, 0, 4)}),
    Rule(
        "output_size_volume",
        "outputSize has at least as many cells as the D*H*W of self.",
        {"outputSize": (1, 1, 2), "outRef": _OUT_REF.but(shape=(1, 2, 1, 1, 2))},
    ),
    Rule(
        "output_size_bytes",
        "A tensor of self's N and C and of outputSize has fewer than 2^63 bytes.",
        {"outputSize": (2, 2**40, 2**40)},
    ),
    Rule("out_ref_size", "D, H, W of outRef are outputSize.", {"outRef": _OUT_REF.but(shape=(1, 2, 2, 4, 5))}),
    Rule(
        "out_ref_batch",
        "outRef has self's N, and C if there is one.",
        {"outRef": _OUT_REF.but(shape=(1, 3, 2, 4, 4))},
    ),
    Rule(
        "index_range",
        "Every index lies in the plane: 0 <= index < D*H*W of outRef.",
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
)


def max_unpool3d(
    input: Array,
    indices: Array,
    output_size: Sequence[int],
    stride: Ints,
    padding: Ints,
    *,
    out: Array | None = None,
) -> Array:
    """3-D max unpooling.

    Each element of ``input`` goes to the place that ``indices`` names in a larger plane of zeros. Where two elements
    name the same place, the later one stays.

    Args:
        input: the pooled tensor, (N, C, D, H, W), or (N, D, H, W) with one plane per N. Any of float32, float16,
            bfloat16, float64, int8, uint8, int16, int32, int64: elements are copied as they are.
        indices: int64 or int32, shaped like ``input``: places in the flattened D*H*W plane of the result.
        output_size: D, H, W of the result.
        stride, padding: those of the pooling that is undone. They are checked; the result does not depend on them.
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
    return _core.max_unpool3d(  # type: ignore[no-any-return]
        input, indices, output_size, stride, padding, "NCDHW", "device", out
    )
