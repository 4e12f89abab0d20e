"""2-D anti-aliased linear upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample

upsample_bilinear2d_aa = resample("linear_aa")
