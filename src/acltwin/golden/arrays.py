"""Arrays in and out: NumPy, PyTorch and anything else that can show its memory."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from acltwin.golden.dtypes import BFLOAT16, Array


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
