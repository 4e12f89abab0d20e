"""The gradient of 1-D nearest upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._upsample import upsample_backward

upsample_nearest1d_backward = upsample_backward(fit=True)
