"""The gradient of 2-D cubic upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample_backward

upsample_bicubic2d_backward = resample_backward("cubic")
