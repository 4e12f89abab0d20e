"""The gradient of 2-D nearest-exact upsampling as a Triton kernel: right, and with the most common mistake.

    acltwin verify examples/golden/triton_upsample.py:backward upsample_nearest_exact2d_backward --level quick

Triton's interpreter runs it on the CPU, so no device is needed.
"""

import math
import os
from collections.abc import Sequence

os.environ.setdefault("TRITON_INTERPRET", "1")  # before Triton is imported; leave it out where there is a device

import torch
import triton
import triton.language as tl


@triton.jit
def first_source(cell, scale, shift, size):
    """The first gradient cell that belongs to a cell of the result."""
    return tl.minimum(tl.ceil(cell.to(tl.float32) * scale - shift).to(tl.int32), size)


@triton.jit
def add_sources(
    source,
    result,
    cells,  # of the result, all planes together
    result_h,
    result_w,
    source_h,
    source_w,
    scale_h,
    scale_w,
    shift,
    most_h: tl.constexpr,  # sources of a cell along each axis, at most
    most_w: tl.constexpr,
    block: tl.constexpr,
):
    cell = tl.program_id(0) * block + tl.arange(0, block)
    inside = cell < cells
    column = cell % result_w
    row = cell // result_w % result_h
    plane = cell // (result_w * result_h)

    top, bottom = first_source(row, scale_h, shift, source_h), first_source(row + 1, scale_h, shift, source_h)
    left, right = first_source(column, scale_w, shift, source_w), first_source(column + 1, scale_w, shift, source_w)

    total = tl.zeros((block,), tl.float32)
    for down in range(most_h):
        for across in range(most_w):
            belongs = inside & (top + down < bottom) & (left + across < right)
            place = (plane * source_h + top + down) * source_w + left + across
            total += tl.load(source + place, mask=belongs, other=0.0).to(tl.float32)
    tl.store(result + cell, total, mask=inside)


def backward(
    grad_output: torch.Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: float,
    scales_w: float,
) -> torch.Tensor:
    """A cell of the result gets the gradient cells whose centre lies in it."""
    return launch(grad_output, output_size, input_size, scales_h, scales_w, shift=0.5)


def backward_with_mistake(
    grad_output: torch.Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: float,
    scales_w: float,
) -> torch.Tensor:
    """The same without the half: where a gradient cell begins decides, not its centre."""
    return launch(grad_output, output_size, input_size, scales_h, scales_w, shift=0.0)


def launch(
    grad_output: torch.Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: float,
    scales_w: float,
    shift: float,
) -> torch.Tensor:
    source = grad_output.contiguous()
    result = torch.empty(tuple(input_size), dtype=source.dtype, device=source.device)
    (source_h, source_w), (result_h, result_w) = output_size, tuple(input_size)[2:]
    scale_h, scale_w = scales_h or source_h / result_h, scales_w or source_w / result_w
    block = 256
    add_sources[(triton.cdiv(result.numel(), block),)](
        source,
        result,
        result.numel(),
        result_h,
        result_w,
        source_h,
        source_w,
        scale_h,
        scale_w,
        shift,
        most_h=min(source_h, math.ceil(scale_h) + 1),
        most_w=min(source_w, math.ceil(scale_w) + 1),
        block=block,
    )
    return result
