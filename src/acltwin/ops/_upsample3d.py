"""What the declarations of the two 3-D upsample gradients share."""

from __future__ import annotations

import math

from acltwin.ops.spec import (
    ACLNN,
    ARRAY,
    DOCUMENTED,
    Argument,
    CallCase,
    Rule,
    Sample,
    TensorCase,
    Value,
    null_rules,
    soc_rule,
    tensor_shape_rule,
)

FORMATS = ("NCDHW", "NDHWC")
GRAD_OUT = TensorCase("float32", (1, 2, 4, 4, 4), "NCDHW")
GRAD_INPUT = TensorCase("float32", (1, 2, 2, 2, 2), "NCDHW")

VALID = CallCase(
    {
        "gradOut": GRAD_OUT,
        "outputSize": (4, 4, 4),
        "inputSize": (1, 2, 2, 2, 2),
        "scalesD": 0.0,
        "scalesH": 0.0,
        "scalesW": 0.0,
        "gradInput": GRAD_INPUT,
    }
)

SAMPLE = Sample(
    "every cell of a 2x2x2 block returns to the one cell it came from",
    CallCase(
        {
            "gradOut": TensorCase("float32", (2, 2, 2, 2, 2), "NCDHW", values=tuple(range(1, 33))),
            "outputSize": (2, 2, 2),
            "inputSize": (2, 2, 1, 1, 1),
            "scalesD": 0.0,
            "scalesH": 0.0,
            "scalesW": 0.0,
            "gradInput": TensorCase("float32", (2, 2, 1, 1, 1), "NCDHW"),
        }
    ),
    ((36.0, 100.0, 164.0, 228.0),),
)


def arguments(dtypes: tuple[str, ...], array_dtypes: tuple[str, ...] = ()) -> tuple[Argument, ...]:
    scale = "Factor of the forward pass along {}, gradOut size / gradInput size; used only if all three are above 0."
    return (
        Argument(
            "gradOut",
            "tensor",
            "Gradient of the forward pass's output.",
            dtypes=dtypes,
            array_dtypes=array_dtypes,
            formats=FORMATS,
            ranks=(5,),
        ),
        Argument("outputSize", "int_array", "D, H, W of gradOut."),
        Argument(
            "inputSize",
            "int_array",
            "N, C, D, H, W of gradInput. With NDHWC tensors N, D, H, W, C is taken too, except by the device profile.",
            begins_with_batch=True,
        ),
        Argument("scalesD", "double", scale.format("D")),
        Argument("scalesH", "double", scale.format("H")),
        Argument("scalesW", "double", scale.format("W")),
        Argument(
            "gradInput",
            "tensor",
            "Gradient of the forward pass's input: the result.",
            role="output",
            dtypes=dtypes,
            array_dtypes=array_dtypes,
            formats=FORMATS,
            ranks=(5,),
        ),
    )


def _consistent(batch: tuple[int, int], output: tuple[int, ...], size: tuple[int, ...]) -> dict[str, Value | str]:
    """Arguments that agree with each other; the tensors are large by their shape alone."""

    def expanded(*shape: int) -> TensorCase:
        return TensorCase("float32", shape, "NCDHW", strides=(0,) * 5)

    return {
        "gradOut": expanded(*batch, *output),
        "outputSize": output,
        "inputSize": (*batch, *size),
        "gradInput": expanded(*batch, *size),
    }


def _geometry_rules(dtypes: tuple[str, ...]) -> tuple[Rule, ...]:
    return (
        Rule("grad_out_dtype", f"gradOut is {', '.join(dtypes)}.", {"gradOut": GRAD_OUT.but(dtype="int32")}),
        Rule("grad_input_dtype", "gradInput has gradOut's dtype.", {"gradInput": GRAD_INPUT.but(dtype="float16")}),
        Rule("grad_out_rank", "gradOut has 5 dimensions.", {"gradOut": GRAD_OUT.but(shape=(2, 4, 4, 4))}),
        Rule("output_size_length", "outputSize has 3 values: D, H, W of gradOut.", {"outputSize": (4, 4)}),
        Rule("input_size_length", "inputSize has 5 values.", {"inputSize": (1, 2, 2, 2)}),
        Rule(
            "input_size_positive",
            "D, H, W of inputSize are above 0; N and C are not negative.",
            {"inputSize": (1, 2, 2, 0, 2)},
        ),
        Rule(
            "input_size_bytes",
            "A tensor of inputSize has fewer than 2^63 bytes.",
            {"inputSize": (1, 2, 2**40, 2**40, 2)},
        ),
        Rule("output_size_positive", "The values of outputSize are above 0.", {"outputSize": (4, 0, 4)}),
        Rule(
            "grad_out_shape",
            "gradOut is [N, C, *outputSize], or [N, *outputSize, C] in NDHWC, with N and C of inputSize.",
            {"gradOut": GRAD_OUT.but(shape=(1, 2, 4, 4, 5))},
        ),
        Rule(
            "grad_input_shape",
            "gradInput has the shape inputSize, [N, D, H, W, C] in NDHWC.",
            {"gradInput": GRAD_INPUT.but(shape=(1, 2, 2, 2, 3))},
        ),
    )


FACTOR_RULE = Rule(
    "scale_factor",
    "No axis is enlarged more than 50 times: each scale, or outputSize / inputSize where it is not given.",
    {"scalesD": 51.0},
    ACLNN,
)

LIMIT_RULES = (
    Rule(
        "dim_limit",
        "No dimension of gradOut and gradInput is above 2^20.",
        _consistent((2**20 + 1, 1), (1, 1, 1), (1, 1, 1)),
        DOCUMENTED,
    ),
    Rule(
        "memory_limit",
        "N*C*(oD*oH*oW + D*H*W + oD*oH*W + oD*H*W) float32 values take less than 60 GiB (oD, oH, oW of gradOut).",
        _consistent((1, 1), (1, 2**14, 2**20), (1, 2**14, 2**15)),
        DOCUMENTED,
    ),
    Rule(
        "rows_limit",
        "gradOut has fewer than 2^31 rows: N*C*D*H.",
        _consistent((2**11, 2**20), (1, 1, 1), (1, 1, 1)),
        DOCUMENTED,
    ),
    Rule(
        "plane_limit",
        "gradInput has fewer than 2^31 cells per plane: H*W.",
        _consistent((1, 1), (1, 1, 1), (1, 2**11, 2**20)),
        DOCUMENTED,
    ),
    Rule(
        "output_size_scale",
        "If all scales are above 0, each outputSize is inputSize times its scale, rounded down.",
        {"scalesD": 3.0, "scalesH": 3.0, "scalesW": 3.0},
        DOCUMENTED,
    ),
)

LAST_RULES = (
    Rule(
        "formats_equal",
        "gradOut and gradInput are both NDHWC or both not. (The device answers 561103.)",
        {"gradInput": GRAD_INPUT.but(format="NDHWC")},
        ACLNN,
    ),
    Rule("scales_negative", "No scale is negative; 0 means not given.", {"scalesD": -1.0}, ARRAY),
    Rule("scales_infinite", "Every scale is finite; 0 means not given.", {"scalesD": math.inf}, ARRAY),
)


def rules(
    dtypes: tuple[str, ...], socs: tuple[str, ...], device_socs: tuple[str, ...], extra: tuple[Rule, ...] = ()
) -> tuple[Rule, ...]:
    """All rules in order; ``extra`` stands between those about shapes and the documented limits."""
    return (
        *null_rules(arguments(dtypes)),
        *soc_rule(socs, device_socs),
        tensor_shape_rule("gradOut", GRAD_OUT),
        *_geometry_rules(dtypes),
        *extra,
        *LIMIT_RULES,
        *LAST_RULES,
    )
