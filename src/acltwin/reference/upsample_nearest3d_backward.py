"""The gradient of 3-D nearest upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._upsample import upsample_backward

upsample_nearest3d_backward = upsample_backward(together=True)
