"""2-D anti-aliased cubic upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample

upsample_bicubic2d_aa = resample("cubic_aa")
