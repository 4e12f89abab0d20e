"""The gradient of 2-D linear upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample_backward

upsample_bilinear2d_backward = resample_backward("linear", "all that fit")
