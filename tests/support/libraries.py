"""Arrays of other libraries with the same bits, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from acltwin.ops import OPERATORS
from support import registry
from support.lazy import torch
from support.values import BFLOAT16, Array

# PyTorch's own gradients, with the arguments of ours in the same order.
PYTORCH = {
    name: registry.aten(spec) for name, spec in OPERATORS.items() if spec.family == "upsample" and spec.is_gradient
}

# PyTorch's own upsamplings, likewise.
PYTORCH_UPSAMPLING = {
    name: registry.aten(spec) for name, spec in OPERATORS.items() if spec.family == "upsample" and not spec.is_gradient
}


def to_torch(array: Array) -> torch.Tensor:
    """Shares the memory. PyTorch takes no bfloat16 from NumPy, but it takes its bits."""
    if array.dtype == BFLOAT16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def to_jax(array: Array) -> Any:
    import jax
    import jax.numpy as jnp

    config: Any = jax.config
    config.update("jax_enable_x64", True)  # or float64 and int64 would be narrowed
    return jnp.asarray(array)


def to_numpy(array: Any) -> Array:
    if isinstance(array, torch.Tensor):
        if array.dtype == torch.bfloat16:
            return array.view(torch.int16).numpy().view(BFLOAT16)
        return array.numpy()
    return np.asarray(array)


class Foreign:
    """An array of a library nobody has heard of: all it can do is ``__dlpack__``."""

    def __init__(self, array: Array) -> None:
        self._tensor = to_torch(array)

    def __dlpack__(self, **options: Any) -> Any:
        return self._tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()
