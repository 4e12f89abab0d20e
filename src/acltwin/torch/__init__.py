"""The operators for PyTorch: registered, differentiable, traceable, and as drop-in functions.

``torch.ops.acltwin`` holds the operators. :func:`interpolate` and the pooling functions stand in for those of
``torch.nn.functional``, :class:`Upsample` and the pooling classes for the layers of ``torch.nn``, and :func:`replaced`
makes PyTorch's own operators faster without an edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acltwin._extras import torch as _torch  # noqa: F401  first of all, for its message
from acltwin.torch import _autograd, _fake, _vmap  # noqa: F401  they register what they define
from acltwin.torch._interpolate import interpolate
from acltwin.torch._pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from acltwin.torch._replace import replace, replaced, restore
from acltwin.torch._report import Report
from acltwin.torch.modules import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
    Upsample,
)

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Report",
    "Upsample",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "interpolate",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "replace",
    "replaced",
    "restore",
]

if not TYPE_CHECKING:  # type checkers find typos for themselves

    def __getattr__(name: str) -> object:
        from acltwin._names import absent

        raise absent(name, __all__, __name__)
