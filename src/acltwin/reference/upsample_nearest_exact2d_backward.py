"""The gradient of 2-D nearest-exact upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._upsample import upsample_backward

upsample_nearest_exact2d_backward = upsample_backward(exact=True)
