"""1-D nearest upsampling, from its formula."""

from __future__ import annotations

from acltwin.reference._upsample import upsample

upsample_nearest1d = upsample(narrow=True)
