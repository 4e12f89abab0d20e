"""Gradient of 3-D max unpooling.

Unpooling puts each element of its input at the place that ``indices`` names in a larger plane of zeros. Its
gradient fetches: element ``j`` of the result is ``grad_output`` at place ``indices[j]`` of the same plane.

Args:
    grad_output: gradient of the unpooled tensor, (N, C, D, H, W), or (N, D, H, W) with one plane per N. Any of
        float32, float16, bfloat16, float64, int8, uint8, int16, int32, int64: elements are copied as they are.
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: int64 or int32, shaped like ``input``: places in the flattened D*H*W plane of ``grad_output``.
    output_size: D, H, W of ``grad_output``.
    stride, padding: those of the pooling that is undone. They are checked; the result does not depend on them.
    data_format: order of the axes of all tensors, which are 5-D for ``"NDHWC"``. Indices do not depend on it: cell
        d, h, w has the index ``(d * H + h) * W + w``.
    out: where to write the result, instead of a new array.

Returns:
    The gradient of ``input``, an array of the same kind, shape and dtype.

Raises:
    IndexError: an index lies outside its plane; the message names its position and value.

>>> import numpy as np
>>> grad_output = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
>>> pooled = np.zeros((1, 1, 1, 1, 2), np.float32)
>>> indices = np.array([6, 1]).reshape(pooled.shape)
>>> max_unpool3d_backward(grad_output, pooled, indices, (2, 2, 2), 2, 0).ravel().tolist()
[6.0, 1.0]
"""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops import _unpool
from acltwin.ops._rules import (
    contiguous_rule,
    dtype_rule,
    null_rules,
    rank_rule,
    same_dtype_rule,
    same_rank_rule,
    same_shape_rule,
    tensor_shape_rule,
)
from acltwin.ops.spec import KERNEL_EXCEPTION, SOCS, Argument, CallCase, OpSpec, Rule, Sample, TensorCase

_GRADIENT = Argument(
    "gradOutput",
    "tensor",
    "Gradient of the unpooled tensor: (N, D, H, W) or (N, C, D, H, W).",
    dtypes=_unpool.DTYPES,
    array_dtypes=("bfloat16",),
    formats=("ND", "NCDHW"),
    ranks=(4, 5),
)
_POOLED = replace(
    _GRADIENT,
    name="self",
    doc="Input of the forward pass; its shape and dtype count, its values are not read.",
    holds="shape",
)
_INDEX = replace(
    _GRADIENT,
    name="indices",
    doc="Where each element of self went in the flattened D*H*W plane of gradOutput.",
    dtypes=("int64",),
    array_dtypes=("int32",),
    holds="indices",
)
_ARGUMENTS = (
    _GRADIENT,
    _POOLED,
    _INDEX,
    Argument("outputSize", "int_array", "D, H, W of gradOutput."),
    *_unpool.WINDOW_ARGUMENTS,
    replace(_GRADIENT, name="out", doc="Gradient of self: the result. It must be contiguous.", role="output"),
)

_GRAD_OUTPUT = TensorCase("float32", (1, 2, 2, 4, 4))
_SELF = TensorCase("float32", (1, 2, 1, 2, 2))
_INDICES = TensorCase("int64", (1, 2, 1, 2, 2))
_OUT = _SELF

_RULES = (
    *null_rules(_ARGUMENTS),
    tensor_shape_rule("gradOutput", _GRAD_OUTPUT),
    contiguous_rule("out", _OUT.but(strides=(8, 4, 4, 1, 2))),
    dtype_rule(_GRADIENT, _GRAD_OUTPUT.but(dtype="uint16")),
    same_dtype_rule("self", "gradOutput", _SELF.but(dtype="float16")),
    same_dtype_rule("out", "gradOutput", _OUT.but(dtype="float16")),
    dtype_rule(_INDEX, _INDICES.but(dtype="int16")),
    rank_rule(_POOLED, _SELF.but(shape=(1, 2, 2))),
    same_rank_rule("indices", "self", _INDICES.but(shape=(2, 1, 2, 2))),
    same_rank_rule("out", "self", _OUT.but(shape=(2, 1, 2, 2))),
    same_shape_rule("indices", "self", _INDICES.but(shape=(1, 2, 1, 2, 3))),
    same_shape_rule("out", "self", _OUT.but(shape=(1, 2, 1, 2, 3))),
    Rule(
        "self_size",
        "Every dimension of self but the first must be above 0.",
        {
            "gradOutput": _GRAD_OUTPUT.but(shape=(1, 0, 2, 4, 4)),
            "self": _SELF.but(shape=(1, 0, 1, 2, 2)),
            "indices": _INDICES.but(shape=(1, 0, 1, 2, 2)),
            "out": _OUT.but(shape=(1, 0, 1, 2, 2)),
        },
    ),
    Rule("output_size_length", "outputSize must have 3 values (D, H, W of gradOutput).", {"outputSize": (2, 4)}),
    *_unpool.WINDOW_RULES,
    Rule(
        "output_size_volume",
        "outputSize must have at least as many cells as the D*H*W of self.",
        {"gradOutput": _GRAD_OUTPUT.but(shape=(1, 2, 1, 1, 2)), "outputSize": (1, 1, 2)},
    ),
    same_rank_rule("gradOutput", "self", _GRAD_OUTPUT.but(shape=(2, 2, 4, 4))),
    Rule(
        "grad_output_size",
        "D, H, W of gradOutput must be outputSize.",
        {"gradOutput": _GRAD_OUTPUT.but(shape=(1, 2, 2, 4, 5))},
    ),
    Rule(
        "grad_output_batch",
        "gradOutput must have self's N, and C if there is one.",
        {"gradOutput": _GRAD_OUTPUT.but(shape=(1, 3, 2, 4, 4))},
    ),
    Rule(
        "index_range",
        "Every index must lie in the plane: 0 <= index < D*H*W of gradOutput.",
        {"indices": _INDICES.but(values=(0, 1, 2, 3, 4, 32, 6, 7))},
        code=KERNEL_EXCEPTION,
        phase="run",
    ),
)

SPEC = OpSpec(
    name="max_unpool3d_backward",
    c_name="aclnnMaxUnpool3dBackward",
    header="aclnn_max_unpool3d_backward.h",
    summary="Gradient of 3-D max unpooling: each element fetches the gradient from the place its index names.",
    formula="out[n,c,j] = gradOutput[n,c,indices[n,c,j]] on the flattened D*H*W axis of each plane",
    arguments=_ARGUMENTS,
    socs=SOCS,
    valid=CallCase(
        {
            "gradOutput": _GRAD_OUTPUT,
            "self": _SELF,
            "indices": _INDICES,
            "outputSize": (2, 4, 4),
            "stride": (2, 2, 2),
            "padding": (0, 0, 0),
            "out": _OUT,
        }
    ),
    rules=_RULES,
    samples=(
        Sample(
            "every index fetches a one",
            CallCase(
                {
                    "gradOutput": TensorCase("float32", (1, 1, 4, 4), values=(1.0,) * 16),
                    "self": TensorCase("float32", (1, 1, 4, 4), values=tuple(range(16))),
                    "indices": TensorCase(
                        "int64", (1, 1, 4, 4), values=(0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 11, 0, 0, 0, 13)
                    ),
                    "outputSize": (1, 4, 4),
                    "stride": (1, 2, 3),
                    "padding": (1, 2, 3),
                    "out": TensorCase("float32", (1, 1, 4, 4)),
                }
            ),
            ((1.0,) * 16,),
        ),
    ),
    family="unpool",
    partner="max_unpool3d",
    is_gradient=True,
    lone_axis="N",
    channels_last_arrays=True,
)
