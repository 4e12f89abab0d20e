"""Layers of ``torch.nn`` whose forward pass is the drop-in function. State, text and pickles are PyTorch's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from torch import Tensor, nn

from acltwin.torch import _pooling
from acltwin.torch._interpolate import interpolate

_WINDOW = ("kernel_size", "stride", "padding")


class Upsample(nn.Upsample):
    """``torch.nn.Upsample``, faster on the CPU in every mode."""

    def forward(self, input: Tensor) -> Any:
        return interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class _Layer(nn.Module):
    """Calls the drop-in function of the layer's name with the options that the layer was made with."""

    _options: ClassVar[tuple[str, ...]]
    _drop_in: ClassVar[str]  # a name, which compilers follow

    def __init_subclass__(cls) -> None:
        cls._drop_in = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def forward(self, input: Tensor) -> Any:
        return getattr(_pooling, self._drop_in)(input, **{name: getattr(self, name) for name in self._options})


class _MaxPool(_Layer):
    _options = (*_WINDOW, "dilation", "ceil_mode", "return_indices")


class _AvgPool(_Layer):
    _options: ClassVar[tuple[str, ...]] = (*_WINDOW, "ceil_mode", "count_include_pad", "divisor_override")


class _AdaptiveAvgPool(_Layer):
    _options = ("output_size",)


class _AdaptiveMaxPool(_Layer):
    _options = ("output_size", "return_indices")


class _MaxUnpool(_Layer):
    _options = _WINDOW

    def forward(  # type: ignore[override]
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Any:
        window = (getattr(self, name) for name in self._options)
        return getattr(_pooling, self._drop_in)(input, indices, *window, output_size)


class MaxPool1d(_MaxPool, nn.MaxPool1d):
    """``torch.nn.MaxPool1d``, faster on the CPU."""


class MaxPool2d(_MaxPool, nn.MaxPool2d):
    """``torch.nn.MaxPool2d``, faster on the CPU."""


class MaxPool3d(_MaxPool, nn.MaxPool3d):
    """``torch.nn.MaxPool3d``, faster on the CPU."""


class MaxUnpool1d(_MaxUnpool, nn.MaxUnpool1d):
    """``torch.nn.MaxUnpool1d``, faster on the CPU."""


class MaxUnpool2d(_MaxUnpool, nn.MaxUnpool2d):
    """``torch.nn.MaxUnpool2d``, faster on the CPU."""


class MaxUnpool3d(_MaxUnpool, nn.MaxUnpool3d):
    """``torch.nn.MaxUnpool3d``, faster on the CPU."""


class AvgPool1d(_AvgPool, nn.AvgPool1d):
    """``torch.nn.AvgPool1d``, faster on the CPU."""

    _options = _AvgPool._options[:-1]


class AvgPool2d(_AvgPool, nn.AvgPool2d):
    """``torch.nn.AvgPool2d``, faster on the CPU."""


class AvgPool3d(_AvgPool, nn.AvgPool3d):
    """``torch.nn.AvgPool3d``, faster on the CPU."""


class AdaptiveAvgPool1d(_AdaptiveAvgPool, nn.AdaptiveAvgPool1d):
    """``torch.nn.AdaptiveAvgPool1d``, faster on the CPU."""


class AdaptiveAvgPool2d(_AdaptiveAvgPool, nn.AdaptiveAvgPool2d):
    """``torch.nn.AdaptiveAvgPool2d``, faster on the CPU."""


class AdaptiveAvgPool3d(_AdaptiveAvgPool, nn.AdaptiveAvgPool3d):
    """``torch.nn.AdaptiveAvgPool3d``, faster on the CPU."""


class AdaptiveMaxPool1d(_AdaptiveMaxPool, nn.AdaptiveMaxPool1d):
    """``torch.nn.AdaptiveMaxPool1d``, faster on the CPU."""


class AdaptiveMaxPool2d(_AdaptiveMaxPool, nn.AdaptiveMaxPool2d):
    """``torch.nn.AdaptiveMaxPool2d``, faster on the CPU."""


class AdaptiveMaxPool3d(_AdaptiveMaxPool, nn.AdaptiveMaxPool3d):
    """``torch.nn.AdaptiveMaxPool3d``, faster on the CPU."""
