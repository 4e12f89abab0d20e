"""The gradient of 2-D nearest upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._upsample import upsample_backward

upsample_nearest2d_backward = upsample_backward(channels_last_in_size=True)
