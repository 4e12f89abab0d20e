"""The gradient of 2-D anti-aliased linear upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample_backward

upsample_bilinear2d_aa_backward = resample_backward("linear_aa")
