"""The gradient of 1-D linear upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample_backward

upsample_linear1d_backward = resample_backward("linear", "fit")
