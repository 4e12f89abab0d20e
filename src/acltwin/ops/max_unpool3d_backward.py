"""The gradient of 3-D max unpooling."""

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
_GRADIENT = Argument(
    "gradOutput",
    "tensor",
    "Gradient of the unpooled tensor: (N, D, H, W) or (N, C, D, H, W).",
    dtypes=_DTYPES,
    array_dtypes=("bfloat16",),
    formats=("ND", "NCDHW"),
    ranks=(4, 5),
)
_ARGUMENTS = (
    _GRADIENT,
    replace(
        _GRADIENT,
        name="self",
        doc="Input of the forward pass; its shape and dtype count, its values are not read.",
        holds="shape",
    ),
    replace(
        _GRADIENT,
        name="indices",
        doc="Where each element of self went in the flattened D*H*W plane of gradOutput.",
        dtypes=("int64",),
        array_dtypes=("int32",),
        holds="indices",
    ),
    Argument("outputSize", "int_array", "D, H, W of gradOutput."),
    Argument("stride", "int_array", "Stride of the pooling that is undone; checked, not needed."),
    Argument("padding", "int_array", "Padding of the pooling that is undone; its values are free."),
    replace(_GRADIENT, name="out", doc="Gradient of self: the result. It must be contiguous.", role="output"),
)

_GRAD_OUTPUT = TensorCase("float32", (1, 2, 2, 4, 4))
_SELF = TensorCase("float32", (1, 2, 1, 2, 2))
_INDICES = TensorCase("int64", (1, 2, 1, 2, 2))
_OUT = _SELF

_RULES = (
    *null_rules(_ARGUMENTS),
    tensor_shape_rule("gradOutput", _GRAD_OUTPUT),
    Rule("out_contiguous", "out is contiguous.", {"out": _OUT.but(strides=(8, 4, 4, 1, 2))}),
    Rule(
        "grad_output_dtype",
        f"gradOutput is {', '.join(_DTYPES)}; the array function takes bfloat16 too.",
        {"gradOutput": _GRAD_OUTPUT.but(dtype="uint16")},
    ),
    Rule("self_dtype", "self has gradOutput's dtype.", {"self": _SELF.but(dtype="float16")}),
    Rule("out_dtype", "out has gradOutput's dtype.", {"out": _OUT.but(dtype="float16")}),
    Rule(
        "indices_dtype",
        "indices is int64; the array function takes int32 too.",
        {"indices": _INDICES.but(dtype="int16")},
    ),
    Rule("self_rank", "self has 4 or 5 dimensions.", {"self": _SELF.but(shape=(1, 2, 2))}),
    Rule("indices_rank", "indices has self's rank.", {"indices": _INDICES.but(shape=(2, 1, 2, 2))}),
    Rule("out_rank", "out has self's rank.", {"out": _OUT.but(shape=(2, 1, 2, 2))}),
    Rule("indices_shape", "indices has self's shape.", {"indices": _INDICES.but(shape=(1, 2, 1, 2, 3))}),
    Rule("out_shape", "out has self's shape.", {"out": _OUT.but(shape=(1, 2, 1, 2, 3))}),
    Rule(
        "self_size",
        "Every dimension of self but the first is above 0.",
        {
            "gradOutput": _GRAD_OUTPUT.but(shape=(1, 0, 2, 4, 4)),
            "self": _SELF.but(shape=(1, 0, 1, 2, 2)),
            "indices": _INDICES.but(shape=(1, 0, 1, 2, 2)),
            "out": _OUT.but(shape=(1, 0, 1, 2, 2)),
        },
    ),
    Rule("output_size_length", "outputSize has 3 values: D, H, W of gradOutput.", {"outputSize": (2, 4)}),
    Rule("stride_length", "stride has 3 values; the array function takes one for all axes too.", {"stride": (2, 2)}),
    Rule("padding_length", "padding has 3 values; the array function takes one for all axes too.", {"padding": (0, 0)}),
    Rule("stride_positive", "The values of stride are above 0.", {"stride": (2, 0, 2)}),
    Rule("output_size_positive", "The values of outputSize are above 0.", {"outputSize": (2, 0, 4)}),
    Rule(
        "output_size_volume",
        "outputSize has at least as many cells as the D*H*W of self.",
        {"gradOutput": _GRAD_OUTPUT.but(shape=(1, 2, 1, 1, 2)), "outputSize": (1, 1, 2)},
    ),
    Rule("grad_output_rank", "gradOutput has self's rank.", {"gradOutput": _GRAD_OUTPUT.but(shape=(2, 2, 4, 4))}),
    Rule(
        "grad_output_size",
        "D, H, W of gradOutput are outputSize.",
        {"gradOutput": _GRAD_OUTPUT.but(shape=(1, 2, 2, 4, 5))},
    ),
    Rule(
        "grad_output_batch",
        "gradOutput has self's N, and C if there is one.",
        {"gradOutput": _GRAD_OUTPUT.but(shape=(1, 3, 2, 4, 4))},
    ),
    Rule(
        "index_range",
        "Every index lies in the plane: 0 <= index < D*H*W of gradOutput.",
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
)


def max_unpool3d_backward(
    grad_output: Array,
    input: Array,
    indices: Array,
    output_size: Sequence[int],
    stride: Ints,
    padding: Ints,
    *,
    out: Array | None = None,
) -> Array:
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
    return _core.max_unpool3d_backward(  # type: ignore[no-any-return]
        grad_output, input, indices, output_size, stride, padding, "NCDHW", "device", out
    )
