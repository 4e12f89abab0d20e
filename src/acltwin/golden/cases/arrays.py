"""Arrays in and out: NumPy, PyTorch and anything else that can show its memory; and where their channels are."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from acltwin.golden.cases.dtypes import BFLOAT16, Array, facts

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
