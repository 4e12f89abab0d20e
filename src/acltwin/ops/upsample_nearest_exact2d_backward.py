"""Gradient of 2-D nearest-exact upsampling.

Upsampling copies each input cell to several output cells. Its gradient goes the other way: each input cell gets the
sum of the gradients of its copies. Along one axis, input cell ``i`` owns the output cells from ``b(i)`` up to, not
including, ``b(i + 1)`` with ``b(i) = min(ceil(i * s - 0.5), output size)`` and ``s = output size / input size``.

Args:
    grad_output: gradient of the upsampled tensor, (N, C, H, W); float32, float16, bfloat16 (summed in float32) or
        float64.
    output_size: H, W of ``grad_output``. As on the device, the size of ``grad_output`` itself counts.
    input_size: N, C, H, W of the result.
    scales_h, scales_w: the factors of the forward pass, each on its own; 0 or None: not given.
    rule: who decides at a border where rounding matters: ``"device"`` as the NPU does, ``"torch"`` as PyTorch does.
    out: where to write the result, instead of a new array.

Returns:
    The gradient of the input, an array of the same kind and dtype as ``grad_output``.

>>> import numpy as np
>>> grad_output = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4)
>>> upsample_nearest_exact2d_backward(grad_output, (2, 4), (1, 1, 1, 2)).ravel().tolist()
[14.0, 22.0]
"""

from __future__ import annotations

from acltwin.ops._rules import (
    dtype_rule,
    length_rule,
    null_rules,
    positive_rule,
    rank_rule,
    same_dtype_rule,
    same_format_rule,
    soc_rule,
    tensor_shape_rule,
)
from acltwin.ops._upsample_forward import scales_infinite_rule, scales_negative_rule
from acltwin.ops.spec import ACLNN, ARRAY, EVERYWHERE, Argument, CallCase, OpSpec, Rule, Sample, TensorCase

_DTYPES = ("float32", "float16", "bfloat16")
_FORMATS = ("NCHW", "ND")
_SOCS = ("Ascend910B", "Ascend910_93")
_DEVICE_SOCS = ("Ascend950",)

_ARGUMENTS = (
    Argument(
        "gradOutput",
        "tensor",
        "Gradient of the forward pass's output.",
        dtypes=_DTYPES,
        array_dtypes=("float64",),
        formats=_FORMATS,
        ranks=(4,),
    ),
    Argument(
        "outputSize", "int_array", "H, W of gradOutput, whose own size counts: these values are not compared with it."
    ),
    Argument("inputSize", "int_array", "N, C, H, W of out.", begins_with_batch=True),
    Argument("scalesH", "double", "Factor of the forward pass along H, gradOutput size / out size; 0: not given."),
    Argument("scalesW", "double", "Factor of the forward pass along W, gradOutput size / out size; 0: not given."),
    Argument(
        "out",
        "tensor",
        "Gradient of the forward pass's input: the result.",
        role="output",
        dtypes=_DTYPES,
        array_dtypes=("float64",),
        formats=_FORMATS,
        ranks=(4,),
    ),
)

_GRAD_OUTPUT = TensorCase("float32", (1, 2, 4, 4), "NCHW")
_OUT = TensorCase("float32", (1, 2, 2, 2), "NCHW")

_RULES = (
    *null_rules(_ARGUMENTS),
    *soc_rule(_SOCS, _DEVICE_SOCS),
    tensor_shape_rule("gradOutput", _GRAD_OUTPUT),
    dtype_rule(
        _ARGUMENTS[0],
        _GRAD_OUTPUT.but(dtype="int32"),
        " (Through aclnn an empty gradOutput or out succeeds before this rule.)",
    ),
    same_dtype_rule("out", "gradOutput", _OUT.but(dtype="float16")),
    same_format_rule(("out",), "gradOutput", {"out": _OUT.but(format="ND")}),
    rank_rule(_ARGUMENTS[0], _GRAD_OUTPUT.but(shape=(2, 4, 4))),
    rank_rule(_ARGUMENTS[-1], _OUT.but(shape=(2, 2, 2))),
    length_rule("inputSize", (4,), "(N, C, H, W of the result)", (1, 2, 2)),
    length_rule("outputSize", (2,), "(H, W of {gradOutput})", (4,)),
    Rule(
        "grad_output_format",
        "The format must not be NHWC.",
        {"gradOutput": _GRAD_OUTPUT.but(format="NHWC"), "out": _OUT.but(format="NHWC")},
        ACLNN,
    ),
    Rule("out_batch", "out must have gradOutput's N and C.", {"out": _OUT.but(shape=(1, 3, 2, 2))}),
    Rule("input_size_batch", "inputSize must begin with gradOutput's N and C.", {"inputSize": (1, 3, 2, 2)}, ARRAY),
    scales_negative_rule("scalesH", EVERYWHERE),
    scales_infinite_rule("scalesH"),
    Rule(
        "scale_factor",
        "No axis may be enlarged more than 50 times: each scale, or gradOutput / inputSize where it is not given.",
        {"scalesH": 51.0},
        ACLNN,
    ),
    Rule(
        "input_size_positive",
        "H and W of inputSize must be above 0.",
        {"inputSize": (1, 2, 0, 2), "scalesH": 1.0, "scalesW": 1.0},
    ),
    Rule(
        "input_size_bytes",
        "A tensor of inputSize must have fewer than 2^63 bytes.",
        {"inputSize": (1, 2, 2**40, 2**40)},
        ARRAY,
    ),
    Rule("out_shape", "out must have the H and W of inputSize.", {"out": _OUT.but(shape=(1, 2, 2, 3))}),
    positive_rule("outputSize", (0, 4), ("array", "documented")),
)


def _sample_call(scale: float) -> CallCase:
    return CallCase(
        {
            "gradOutput": TensorCase("float32", (1, 1, 4, 2), "NCHW", values=tuple(range(8))),
            "outputSize": (4, 2),
            "inputSize": (1, 1, 8, 4),
            "scalesH": scale,
            "scalesW": scale,
            "out": TensorCase("float32", (1, 1, 8, 4), "NCHW"),
        }
    )


SPEC = OpSpec(
    name="upsample_nearest_exact2d_backward",
    c_name="aclnnUpsampleNearestExact2dBackward",
    header="aclnn_upsample_nearest_exact2d_backward.h",
    summary="Gradient of 2-D nearest-exact upsampling: each input cell sums the gradients of its copies.",
    formula="out[n,c,i] = sum of gradOutput[n,c,o] for o in [b(i), b(i+1)), b(i) = min(ceil(i*s - 0.5), outSize)",
    arguments=_ARGUMENTS,
    socs=_SOCS,
    device_socs=_DEVICE_SOCS,
    valid=CallCase(
        {
            "gradOutput": _GRAD_OUTPUT,
            "outputSize": (4, 4),
            "inputSize": (1, 2, 2, 2),
            "scalesH": 0.0,
            "scalesW": 0.0,
            "out": _OUT,
        }
    ),
    rules=_RULES,
    samples=(
        Sample(
            "a factor of 2 on tensors that shrink: only two cells collect anything",
            _sample_call(2.0),
            ((6.0, 0.0, 0.0, 0.0, 22.0, *(0.0,) * 27),),
        ),
        Sample(
            "the factor that the sizes imply: every gradient lands on a cell of its own",
            _sample_call(0.0),
            (
                tuple(
                    float(row // 2 * 2 + column // 2) if row % 2 and column % 2 else 0.0
                    for row in range(8)
                    for column in range(4)
                ),
            ),
        ),
    ),
    family="upsample",
    partner="upsample_nearest_exact2d",
    is_gradient=True,
    aten="_upsample_nearest_exact2d_backward",
    mode="nearest-exact",
    axes="HW",
    data_formats=("NCHW",),
    has_map_rule=True,
    empty_succeeds_first=True,
)
