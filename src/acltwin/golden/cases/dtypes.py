"""What the science needs to know of a dtype, rounding to it once, and arrays in and out."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
BLOCK = 2**14  # numbers that are worked on together: what is made of them stays near the processor


@dataclass(frozen=True)
class Facts:
    """``bits`` of the significand: every integer up to 2^bits is exact. For integers: that fit with the sign."""

    name: str
    dtype: np.dtype[Any]
    is_float: bool
    bits: int
    largest: float | int
    lowest: float | int
    smallest_normal: float
    smallest: float  # denormal
    code_base: int  # how many different codes a digit plane of this dtype can hold
    first_code: int = 1  # 0 means "not written"; a bool has no code to spare, so there its first address is 1

    @property
    def unit(self) -> float:
        """Half the distance from 1 to the next number: the relative error of one rounding."""
        return 2.0**-self.bits


_FLOATS = {
    "float16": (np.dtype(np.float16), 11, 65504.0, 2.0**-14, 2.0**-24),
    "bfloat16": (BFLOAT16, 8, 255.0 * 2.0**120, 2.0**-126, 2.0**-133),
    "float32": (np.dtype(np.float32), 24, float(np.finfo(np.float32).max), 2.0**-126, 2.0**-149),
    "float64": (np.dtype(np.float64), 53, float(np.finfo(np.float64).max), 2.0**-1022, 2.0**-1074),
}
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "int64")


@cache
def facts(dtype: str | np.dtype[Any]) -> Facts:
    """By name (``"bfloat16"``) or NumPy dtype; ValueError for a dtype that no operator has."""
    name = dtype if isinstance(dtype, str) else name_of(dtype)
    if name in _FLOATS:
        numpy, bits, largest, normal, smallest = _FLOATS[name]
        return Facts(name, numpy, True, bits, largest, -largest, normal, smallest, 2**bits)
    if name in _INTEGERS:
        numpy = np.dtype(name)
        largest, lowest = int(np.iinfo(numpy).max), int(np.iinfo(numpy).min)
        return Facts(name, numpy, False, largest.bit_length(), largest, lowest, 1.0, 1.0, min(largest, 2**31 - 1))
    if name == "bool":
        return Facts(name, np.dtype(bool), False, 1, 1, 0, 1.0, 1.0, 2, first_code=0)
    raise ValueError(f"golden has no cases in {name}; expected one of {', '.join((*_FLOATS, *_INTEGERS))}, bool")


def name_of(dtype: np.dtype[Any]) -> str:
    return "bfloat16" if dtype == BFLOAT16 else np.dtype(dtype).name


def widened(array: Array) -> Array:
    """Floats as float64, which holds them all exactly; integers as they are."""
    return float64(array) if facts(array.dtype).is_float else array


def float64(array: Array) -> NDArray[np.float64]:
    """Any array in float64, itself if it is; NaN of any kind stays NaN without a word."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(array).astype(np.float64, copy=False)


def rounded(values: NDArray[np.float64], dtype: np.dtype[Any]) -> Array:
    """float64 rounded once to ``dtype``, to nearest, ties to even; too large becomes infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype != BFLOAT16:
            return values.astype(dtype)
        flat = values.ravel()
        result = np.empty(flat.shape, np.uint16)
        for start in range(0, len(flat), BLOCK):
            result[start : start + BLOCK] = _bfloat16_bits(flat[start : start + BLOCK])
        return result.reshape(values.shape).view(BFLOAT16)


def _bfloat16_bits(values: NDArray[np.float64]) -> NDArray[np.uint16]:
    """NumPy's extension goes through float32 and so rounds twice; here float32 only stands for the side of a tie."""
    single = np.asarray(values.astype(np.float32))
    bits = single.view(np.uint32)
    back = single.astype(np.float64)
    tie = ((bits & 0xFFFF) == 0x8000) & (back != values) & np.isfinite(back)
    if tie.any():
        # The magnitude is the lower 31 bits: one more or one less moves the number off the tie, to its true side.
        outward = np.abs(back) < np.abs(values)
        bits = np.where(tie, np.where(outward, bits + np.uint32(1), bits - np.uint32(1)), bits).astype(np.uint32)
    nan = np.isnan(single)
    even = (bits >> np.uint32(16)) & np.uint32(1)
    halves = ((bits + np.uint32(0x7FFF) + even) >> np.uint32(16)).astype(np.uint16)
    return np.where(nan, np.uint16(0x7FC0), halves)


# ---- arrays in and out: NumPy, PyTorch and anything else that can show its memory ----


PADDING = 64  # elements


def poisoned(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """An array that no right result can look like: NaN, or 0xA5 bytes where there is none."""
    array = np.empty(shape, dtype)
    if facts(dtype).is_float:
        array[...] = np.nan
    else:
        array.view(np.uint8)[...] = 0xA5
    return array


def embedded(array: Array) -> Array:
    """The same array as a view: a part of a larger one, not contiguous, that begins somewhere inside."""
    storage = poisoned(array.dtype, (*array.shape[:-1], array.shape[-1] + 3))
    part = storage[..., 1:-2]
    part[...] = array
    return part


def padded(array: Array) -> Array:
    """The same array with poison behind its last element, so that reading on is noticed; a view stays as it is."""
    if not array.flags.c_contiguous:
        return array
    storage = poisoned(array.dtype, (array.size + PADDING,))
    part = storage[: array.size].reshape(array.shape)
    part[...] = array
    return part


def to_torch(array: Array, device: str = "cpu") -> Any:
    """A PyTorch tensor with the same bits; bfloat16 goes by its bits, which PyTorch cannot read from NumPy."""
    import torch

    if device.startswith("npu"):
        import torch_npu  # type: ignore[import-not-found]  # noqa: F401 - makes the device known
    contiguous = array if array.flags.writeable else array.copy()
    if array.dtype == BFLOAT16:
        return torch.from_numpy(contiguous.view(np.int16)).view(torch.bfloat16).to(device)
    return torch.from_numpy(contiguous).to(device)


def to_numpy(result: Any) -> Array:
    """Any array on the host: PyTorch tensors of any device, ``__array__``, ``__dlpack__``."""
    if isinstance(result, np.ndarray):
        return result
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(result, torch.Tensor):
        host = result.detach().cpu()
        if host.dtype == torch.bfloat16:
            bits: Array = host.contiguous().view(torch.int16).numpy()
            return bits.view(BFLOAT16)
        return np.asarray(host.numpy())
    if hasattr(result, "__array__"):
        return np.asarray(result)
    if hasattr(result, "__dlpack__"):
        return np.from_dlpack(result)
    raise TypeError(
        f"the result is a {type(result).__name__}; expected an array: __array__, __dlpack__ or a PyTorch tensor"
    )


def device_of(result: Any) -> str:
    """Where a result lives: ``cpu``, ``npu:0``, ..."""
    return str(getattr(result, "device", "cpu"))


# ---- channels: before the spatial axes, or, in formats like NDHWC, behind them ----


def is_channels_last(data_format: str) -> bool:
    return data_format.endswith("C")


def planes_first(array: Array, data_format: str) -> Array:
    """The same elements as (N, C, ...)."""
    return np.moveaxis(array, -1, 1) if is_channels_last(data_format) else array


def sizes_first(sizes: tuple[int, ...], data_format: str) -> tuple[int, ...]:
    """A shape, or a place, in the order (N, C, ...)."""
    return (sizes[0], sizes[-1], *sizes[1:-1]) if is_channels_last(data_format) else sizes


def sizes_in(data_format: str, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The other way: a shape (N, C, ...) in the order of a format."""
    return (sizes[0], *sizes[2:], sizes[1]) if is_channels_last(data_format) else sizes
