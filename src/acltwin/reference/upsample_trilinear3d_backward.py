"""The gradient of 3-D linear upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample_backward

upsample_trilinear3d_backward = resample_backward("linear", "all")
