"""2-D cubic upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample

upsample_bicubic2d = resample("cubic")
