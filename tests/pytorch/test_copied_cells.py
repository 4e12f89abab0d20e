"""Every output cell copies the cell that PyTorch copies, whichever kernel it takes for a layout, dtype and size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin.ops import OPERATORS
from support.forward import UPSAMPLE
from support.lazy import acltwin_torch, torch
from support.libraries import PYTORCH_UPSAMPLING
from support.pytorch_maps import FUSED_PAIRS, FUSES, coordinates, copied_cells
from support.thorough import THOROUGH

FORMATS = {2: "channels_last", 3: "channels_last_3d"}
FLOATS = ["float32", "float16", "bfloat16", "float64"]
LONG = 4096  # cells of an axis: two digits
CALLS = 1500 if THOROUGH else 400


def _size(rng: np.random.Generator) -> int:
    return int(rng.integers(1, 160) if rng.random() < 0.8 else rng.integers(160, LONG))


def _scale(rng: np.random.Generator, inner: int, outer: int) -> float | None:
    choices = (None, None, outer / inner, rng.uniform(0.05, 8), rng.integers(1, 60) / rng.integers(1, 60), 2.0)
    scale = choices[rng.integers(len(choices))]
    return None if scale is None else float(scale)


def _sizes(rng: np.random.Generator, exact: bool) -> tuple[int, int]:
    if exact and rng.random() < 0.3:  # pairs at random would hardly ever tell PyTorch's kernels apart
        return FUSED_PAIRS[rng.integers(len(FUSED_PAIRS))]
    inner = _size(rng)
    return (inner, min(inner * int(rng.integers(1, 3)), LONG)) if rng.random() < 0.2 else (inner, _size(rng))


def _random_call(rng: np.random.Generator, operator: str) -> tuple[Any, ...]:
    """A tensor with one long axis, the sizes to bring it to, the scales, and the axis."""
    spec = OPERATORS[operator]
    axes, channels = len(spec.axes), int(rng.integers(2, 7))
    axis = int(rng.integers(axes))
    inner, outer = _sizes(rng, spec.is_exact)
    scale = _scale(rng, inner, outer)
    dtypes = FLOATS if axes == 3 else [*FLOATS, "uint8"]
    tensor = coordinates(inner, channels, getattr(torch, dtypes[rng.integers(len(dtypes))]))
    tensor = tensor.reshape(1, channels, *[inner if i == axis else 1 for i in range(axes)])
    if axes == 2 and rng.random() < 0.5:  # rows of equal cells
        tensor = tensor.expand(*[3 if i == 3 - axis else -1 for i in range(4)])
    layout = rng.integers(3)
    last = layout == 1 and axes in FORMATS
    tensor = tensor.contiguous(memory_format=getattr(torch, FORMATS[axes])) if last else tensor.contiguous()
    if layout == 2:
        tensor = tensor.mT.contiguous().mT
    target = [outer if i == axis else int(rng.choice([1, 1, 3, 100, 130])) if axes == 2 else 1 for i in range(axes)]
    return tensor, target, *[scale if i == axis else None for i in range(axes)], axis


@FUSES
@pytest.mark.parametrize("way", ["replaced", "torch.ops"])
@pytest.mark.parametrize("operator", UPSAMPLE)
def test_random_sizes_scales_dtypes_and_layouts(operator: str, way: str, rng: np.random.Generator) -> None:
    theirs = PYTORCH_UPSAMPLING[operator]
    wrong = []
    for _ in range(CALLS):
        *call, axis = _random_call(rng, operator)
        expected = copied_cells(theirs(*call), axis)
        if way == "replaced":
            with acltwin_torch.replaced():
                result = theirs(*call)
        else:
            result = getattr(torch.ops.acltwin, operator)(*call)
        if copied_cells(result, axis) != expected:
            tensor, *others = call
            wrong.append((tensor.dtype, tuple(tensor.shape), tensor.stride(), *others))
    assert not wrong, f"{len(wrong)} of {CALLS} calls copy other cells than PyTorch, such as {wrong[:3]}"


@FUSES
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("layout", ["contiguous", "channels last"])
@pytest.mark.parametrize("rank", [4, 5])
def test_drop_in_interpolation_copies_pytorchs_cells(rank: int, layout: str, channels: int, dtype: str) -> None:
    ones = (1,) * (rank - 3)
    for inner, outer in ((2, 41), (2, 141), (4, 82), (100, 135), (8, 110)):
        tensor = coordinates(inner, channels, getattr(torch, dtype)).reshape(1, channels, *ones, inner)
        if layout == "channels last":
            tensor = tensor.contiguous(memory_format=getattr(torch, FORMATS[rank - 2]))
        for mode in ("nearest", "nearest-exact"):
            expected = torch.nn.functional.interpolate(tensor, (*ones, outer), mode=mode)
            assert torch.equal(acltwin_torch.interpolate(tensor, (*ones, outer), mode=mode), expected), (inner, outer)
