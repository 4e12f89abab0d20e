"""aclnnResize, which takes factors for all axes and the name of a mode, and no function on arrays has its rules."""

from __future__ import annotations

from dataclasses import replace

from acltwin.ops._rules import (
    dtype_rule,
    format_rule,
    null_rules,
    rank_rule,
    same_dtype_rule,
    same_format_rule,
    same_rank_rule,
    soc_dtype_rule,
    tensor_shape_rule,
)
from acltwin.ops.families.axes import Axes, lower, unbatched, wider
from acltwin.ops.spec import ACLNN, DOCUMENTED, SOCS, Argument, CallCase, OpSpec, Rule, Sample, TensorCase

_AXES = Axes("HW")
_SELF = Argument(
    "self",
    "tensor",
    "The tensor to resize.",
    dtypes=("float32", "float16", "bfloat16"),
    formats=_AXES.orders,
    ranks=(4,),
    lacking=tuple((soc, "bfloat16") for soc in SOCS if soc != "Ascend950"),
)
_ARGUMENTS = (
    _SELF,
    Argument("scales", "float_array", "Factors along N, C, H, W, out size / self size; those of N and C are not read."),
    Argument("mode", "string", 'A text that begins with "nearest" or "bilinear".'),
    replace(_SELF, name="out", doc="The resized tensor: the result.", role="output"),
)


def _call(mode: bytes, source: TensorCase, result: TensorCase, *scales: float) -> CallCase:
    return CallCase({"self": source, "scales": (1.0, 1.0, *scales), "mode": mode, "out": result})


def _tensor(*shape: int, values: tuple[float, ...] | None = None) -> TensorCase:
    return TensorCase("float32", shape, "NCHW", values=values)


_SOURCE, _RESULT = _tensor(1, 2, 2, 2), _tensor(1, 2, 4, 4)
_BFLOAT16 = {name: case.but(dtype="bfloat16") for name, case in (("self", _SOURCE), ("out", _RESULT))}
_LAST = {
    "self": TensorCase("float32", (1, 2, 2, 2), "NHWC"),
    "out": TensorCase("float32", (1, 4, 4, 2), "NHWC"),
}
_RULES = tuple(
    replace(rule, judges=tuple(judge for judge in rule.judges if judge in ACLNN))
    for rule in (
        *null_rules(_ARGUMENTS),
        tensor_shape_rule("self", _SOURCE),
        Rule("mode_name", "mode must begin with nearest or bilinear.", {"mode": b"cubic"}),
        dtype_rule(_SELF, _SOURCE.but(dtype="int32")),
        replace(soc_dtype_rule(_SELF, _BFLOAT16), judges=DOCUMENTED),
        same_dtype_rule("out", "self", _RESULT.but(dtype="float16")),
        format_rule(_SELF, _SOURCE.but(format="ND")),
        same_format_rule(("out",), "self", {"out": _RESULT.but(format="NHWC")}),
        Rule("channels_last_soc", "NHWC tensors need Ascend950.", _LAST, DOCUMENTED, shared="pool"),
        rank_rule(_SELF, lower(_SOURCE)),
        same_rank_rule("out", "self", unbatched(_RESULT)),
        Rule("scales_length", "scales must have 4 values (N, C, H, W).", {"scales": (2.0, 2.0)}),
        Rule("out_batch", "out must have self's N and C.", {"out": _tensor(2, 2, 4, 4)}),
        Rule(
            "out_size",
            "H and W of out must be those of self times their scales, rounded down, give or take 1e-5 of a scale.",
            {"out": wider(_RESULT)},
        ),
    )
)
SPEC = OpSpec(
    name="resize",
    c_name="aclnnResize",
    header="aclnn_resize.h",
    summary="2-D nearest or bilinear upsampling, whichever `mode` names. The scales only say which size is expected.",
    formula="out = aclnnUpsampleNearest2d, or aclnnUpsampleBilinear2d without alignCorners and scales, of self",
    arguments=_ARGUMENTS,
    socs=SOCS,
    valid=_call(b"nearest", _SOURCE, _RESULT, 2.0, 2.0),
    rules=_RULES,
    samples=(
        Sample(
            "nearest: every cell becomes four",
            _call(b"nearest", _tensor(1, 1, 2, 2, values=(1, 2, 3, 4)), _tensor(1, 1, 4, 4), 2.0, 2.0),
            ((1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4),),
        ),
        Sample(
            "bilinear: cells are matched at their centres",
            _call(b"bilinear", _tensor(1, 1, 1, 2, values=(1, 3)), _tensor(1, 1, 1, 4), 1.0, 2.0),
            ((1, 1.5, 2.5, 3),),
        ),
    ),
    family="linear",
    partner="",
    is_gradient=False,
    axes=_AXES.axes,
    data_formats=_AXES.orders,
    c_only=True,
)
