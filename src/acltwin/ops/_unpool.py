"""What the declarations of max unpooling and its gradient share: the arguments and rules of the undone pooling."""

from __future__ import annotations

from acltwin.ops._rules import length_rule, positive_rule
from acltwin.ops.spec import Argument, Rule

DTYPES = ("float32", "float16", "float64", "int8", "uint8", "int16", "int32", "int64")

WINDOW_ARGUMENTS = (
    Argument(
        "stride",
        "int_array",
        "Stride of the pooling that is undone; checked, not needed.",
        one_for_all=True,
        default="None",
    ),
    Argument(
        "padding",
        "int_array",
        "Padding of the pooling that is undone; its values are free.",
        one_for_all=True,
        default="0",
    ),
)

WINDOW_RULES: tuple[Rule, ...] = (
    length_rule("stride", (3,), "(D, H, W)", (2, 2), array_counts=(0, 1)),
    length_rule("padding", (3,), "(D, H, W)", (0, 0), array_counts=(1,)),
    positive_rule("stride", (2, 0, 2)),
    positive_rule("outputSize", (2, 0, 4)),
)
