"""Gradient of 3-D max pooling.

Pooling keeps the maximum of each window, and ``indices`` remembers where it was. The gradient of each maximum is
added there; where windows overlap, several gradients meet. All other cells are 0.

Args:
    grad_output: gradient of the pooled tensor, (N, C, D, H, W) or (C, D, H, W); float32, float16, bfloat16 (summed
        in float32) or float64.
    input: input of the forward pass, for its shape and dtype; its values are not read.
    indices: int32 or int64, shaped like ``grad_output``: places in the flattened D*H*W plane of ``input``.
    kernel_size, stride, padding, dilation: those of the forward pass, one number or (D, H, W). A stride of ``None``
        or ``()`` means the kernel size.
    ceil_mode: whether the number of windows was rounded up.
    data_format: order of the axes of all tensors, which are 5-D for ``"NDHWC"``. Indices do not depend on it: cell
        d, h, w has the index ``(d * H + h) * W + w``.
    out: where to write the result, instead of a new array.

Returns:
    The gradient of ``input``, an array of the same kind, shape and dtype.

Raises:
    IndexError: an index lies outside its plane; the message names its position and value.

>>> import numpy as np
>>> pooled_grad = np.array([5.0, 7.0], np.float32).reshape(1, 1, 1, 1, 2)
>>> image = np.zeros((1, 1, 1, 1, 4), np.float32)
>>> indices = np.array([1, 2]).reshape(pooled_grad.shape)
>>> max_pool3d_with_argmax_backward(pooled_grad, image, indices, (1, 1, 2), None, 0, 1, False).ravel().tolist()
[0.0, 5.0, 7.0, 0.0]
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
    same_shape_rule,
    soc_dtype_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops.spec import (
    ACLNN,
    DOCUMENTED,
    KERNEL_EXCEPTION,
    Argument,
    CallCase,
    OpSpec,
    Rule,
    Sample,
    TensorCase,
)

_DTYPES = ("float32", "float16", "bfloat16")
_SOCS = ("Ascend950", "Ascend910_93", "Ascend910B")

_GRADIENT = Argument(
    "gradOutput",
    "tensor",
    "Gradient of the pooled tensor: (C, D, H, W) or (N, C, D, H, W).",
    dtypes=_DTYPES,
    array_dtypes=("float64",),
    formats=("ND",),
    ranks=(4, 5),
)
_INPUT = replace(
    _GRADIENT,
    name="self",
    doc="Input of the forward pass; its shape and dtype count, its values are not read.",
    holds="shape",
)
_INDEX = replace(
    _GRADIENT,
    name="indices",
    doc="Where each maximum was in the flattened, unpadded D*H*W plane of self. int64 on Ascend950 alone.",
    dtypes=("int32", "int64"),
    array_dtypes=(),
    holds="indices",
    lacking=_pool_window.INT64_LACKING,
)
_RESULT = replace(_GRADIENT, name="gradInput", doc="Gradient of self: the result.", role="output")
_ARGUMENTS = (_GRADIENT, _INPUT, _INDEX, *_pool_window.ARGUMENTS, _RESULT)

_GRAD_OUTPUT = TensorCase("float32", (1, 2, 1, 2, 2))
_SELF = TensorCase("float32", (1, 2, 2, 4, 4))
_INDICES = TensorCase("int32", (1, 2, 1, 2, 2))
_GRAD_INPUT = _SELF
_PLANE = TensorCase("float32", (1, 1, 2**11, 2**10, 2**10), strides=(0,) * 5)

_TYPE_RULES = (
    dtype_rule(_INPUT, _SELF.but(dtype="int32")),
    dtype_rule(_INDEX, _INDICES.but(dtype="int16")),
    soc_dtype_rule(_INDEX, {"indices": _INDICES.but(dtype="int64")}),
    same_dtype_rule("gradOutput", "self", _GRAD_OUTPUT.but(dtype="float16")),
    same_dtype_rule("gradInput", "self", _GRAD_INPUT.but(dtype="float16")),
    same_format_rule(("gradOutput", "gradInput"), "self", {"gradInput": _GRAD_INPUT.but(format="NCDHW")}),
    public_format_rule("indices", _INDICES),
    rank_rule(_GRADIENT, _GRAD_OUTPUT.but(shape=(1, 2, 2))),
    rank_rule(_INPUT, _SELF.but(shape=(2, 4, 4))),
    rank_rule(_INDEX, _INDICES.but(shape=(1, 2, 2))),
    rank_rule(_RESULT, _GRAD_INPUT.but(shape=(2, 4, 4))),
)

_DILATION_ONE = Rule(
    "dilation_one",
    "dilation must be 1.",
    {
        "self": _SELF.but(shape=(1, 2, 3, 4, 4)),
        "dilation": (2, 1, 1),
        "gradInput": _GRAD_INPUT.but(shape=(1, 2, 3, 4, 4)),
    },
    DOCUMENTED,
    shared="pool",
)

_SHAPE_RULES = (
    Rule(
        "plane_size",
        "D*H*W of self must be at most 2^31 - 1, except on Ascend950.",
        {
            "gradOutput": _GRAD_OUTPUT.but(shape=(1, 1, 1, 1, 1)),
            "self": _PLANE,
            "indices": _INDICES.but(shape=(1, 1, 1, 1, 1)),
            "kernelSize": (2**11, 2**10, 2**10),
            "stride": (),
            "gradInput": _PLANE,
        },
        ACLNN,
        shared="pool",
    ),
    same_shape_rule("indices", "gradOutput", _INDICES.but(shape=(1, 2, 1, 2, 3))),
    same_shape_rule("gradInput", "self", _GRAD_INPUT.but(shape=(1, 2, 2, 4, 5))),
    Rule(
        "grad_output_batch",
        "gradOutput must have self's rank, N and C.",
        {"gradOutput": _GRAD_OUTPUT.but(shape=(1, 3, 1, 2, 2)), "indices": _INDICES.but(shape=(1, 3, 1, 2, 2))},
    ),
    Rule(
        "grad_output_size",
        "D, H, W of gradOutput must be the numbers of windows over self.",
        {"gradOutput": _GRAD_OUTPUT.but(shape=(1, 2, 1, 2, 3)), "indices": _INDICES.but(shape=(1, 2, 1, 2, 3))},
    ),
    Rule(
        "index_range",
        "Every index must lie in the plane: 0 <= index < D*H*W of self.",
        {"indices": _INDICES.but(values=(0, 2, 8, 10, 0, 32, 8, 10))},
        code=KERNEL_EXCEPTION,
        phase="run",
    ),
)

SPEC = OpSpec(
    name="max_pool3d_with_argmax_backward",
    c_name="aclnnMaxPool3dWithArgmaxBackward",
    header="aclnn_max_pool3d_with_argmax_backward.h",
    summary="Gradient of 3-D max pooling: each gradient is added where its window's maximum was.",
    formula="gradInput = 0, then gradInput[n,c,indices[n,c,j]] += gradOutput[n,c,j] for ascending j",
    arguments=_ARGUMENTS,
    socs=_SOCS,
    valid=CallCase(
        {
            "gradOutput": _GRAD_OUTPUT,
            "self": _SELF,
            "indices": _INDICES,
            "kernelSize": (2, 2, 2),
            "stride": (2, 2, 2),
            "padding": (0, 0, 0),
            "dilation": (1, 1, 1),
            "ceilMode": False,
            "gradInput": _GRAD_INPUT,
        }
    ),
    rules=(
        *null_rules(_ARGUMENTS),
        *soc_rule(_SOCS),
        tensor_shape_rule("gradOutput", _GRAD_OUTPUT),
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
                    "gradOutput": TensorCase("float32", (1, 1, 1, 1, 1), values=(0.4757,)),
                    "self": TensorCase(
                        "float32",
                        (1, 1, 2, 2, 2),
                        values=(0.0850, -0.5147, -0.0212, -0.5654, -0.3222, 0.5847, 1.7510, 0.9954),
                    ),
                    "indices": TensorCase("int32", (1, 1, 1, 1, 1), values=(6,)),
                    "kernelSize": (2, 2, 2),
                    "stride": (2, 2, 2),
                    "padding": (0, 0, 0),
                    "dilation": (1, 1, 1),
                    "ceilMode": False,
                    "gradInput": TensorCase("float32", (1, 1, 2, 2, 2)),
                }
            ),
            ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4757, 0.0),),
        ),
    ),
    family="pool",
    partner="max_pool3d_with_argmax",
    is_gradient=True,
    lone_axis="C",
    channels_last_arrays=True,
)
