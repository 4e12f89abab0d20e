"""2-D max pooling with the device's mask."""

from __future__ import annotations

from acltwin.reference._max_pool import masked_max_pool

max_pool2d_with_mask = masked_max_pool(2)
