"""2-D linear upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._resample import resample

upsample_bilinear2d = resample("linear", "all that fit")
