"""What the declarations of max pooling and its gradient share: the arguments and rules of the window."""

from __future__ import annotations

from acltwin.ops.spec import Argument, Rule

ARGUMENTS = (
    Argument("kernelSize", "int_array", "Size of the window: one value for all axes or D, H, W."),
    Argument("stride", "int_array", "Step of the window: none (the kernel size), one value, or D, H, W."),
    Argument("padding", "int_array", "Padding on both sides: one value or D, H, W; at most half the kernel."),
    Argument("dilation", "int_array", "Step inside the window: one value or D, H, W; the device supports 1."),
    Argument("ceilMode", "bool", "Whether the number of windows is rounded up."),
)

RULES = (
    Rule("kernel_size_length", "kernelSize has 1 or 3 values.", {"kernelSize": (2, 2)}),
    Rule("kernel_size_positive", "The values of kernelSize are above 0.", {"kernelSize": (2, 0, 2)}),
    Rule("stride_length", "stride has 0, 1 or 3 values.", {"stride": (2, 2)}),
    Rule("stride_positive", "The values of stride are above 0.", {"stride": (2, 0, 2)}),
    Rule("padding_length", "padding has 1 or 3 values.", {"padding": (0, 0)}),
    Rule("padding_negative", "No value of padding is negative.", {"padding": (0, -1, 0)}),
    Rule("padding_half", "padding is at most half of kernelSize on each axis.", {"padding": (0, 2, 0)}),
    Rule("dilation_length", "dilation has 1 or 3 values.", {"dilation": (1, 1)}),
    Rule("dilation_positive", "The values of dilation are above 0.", {"dilation": (1, 0, 1)}),
)
