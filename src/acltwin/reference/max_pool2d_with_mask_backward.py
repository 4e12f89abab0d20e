"""Gradient of 2-D max pooling, from the device's mask."""

from __future__ import annotations

from acltwin.reference._max_pool import masked_max_pool_backward

max_pool2d_with_mask_backward = masked_max_pool_backward(2)
