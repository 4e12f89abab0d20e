"""What the declarations of max pooling and its gradient share: the arguments and rules of the window."""

from __future__ import annotations

from acltwin.ops._rules import length_rule, positive_rule
from acltwin.ops.spec import SOCS, Argument, Rule

INT64_LACKING = tuple((soc, "int64") for soc in SOCS if soc != "Ascend950")

ARGUMENTS = (
    Argument("kernelSize", "int_array", "Size of the window: one value for all axes or D, H, W.", one_for_all=True),
    Argument(
        "stride",
        "int_array",
        "Step of the window: none (the kernel size), one value, or D, H, W.",
        one_for_all=True,
        default="None",
    ),
    Argument(
        "padding",
        "int_array",
        "Padding on both sides: one value or D, H, W; at most half the kernel.",
        one_for_all=True,
        default="0",
    ),
    Argument(
        "dilation",
        "int_array",
        "Step inside the window: one value or D, H, W; the device supports 1.",
        one_for_all=True,
        default="1",
    ),
    Argument("ceilMode", "bool", "Whether the number of windows is rounded up.", default="False"),
)

_MEANING = "(D, H, W, or 1 for all axes)"

RULES = (
    length_rule("kernelSize", (1, 3), _MEANING, (2, 2)),
    positive_rule("kernelSize", (2, 0, 2)),
    length_rule("stride", (0, 1, 3), "(D, H, W, or 1 for all axes, or none for the kernel size)", (2, 2)),
    positive_rule("stride", (2, 0, 2)),
    length_rule("padding", (1, 3), _MEANING, (0, 0)),
    Rule("padding_negative", "No value of padding may be negative.", {"padding": (0, -1, 0)}, shared="pool"),
    Rule(
        "padding_half",
        "padding must be at most half of kernelSize on each axis.",
        {"padding": (0, 2, 0)},
        shared="pool",
    ),
    length_rule("dilation", (1, 3), _MEANING, (1, 1)),
    positive_rule("dilation", (1, 0, 1)),
)
