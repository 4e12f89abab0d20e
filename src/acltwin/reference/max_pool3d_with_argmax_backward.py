"""The gradient of 3-D max pooling."""

from __future__ import annotations

from acltwin.reference._max_pool import max_pool_backward

max_pool3d_with_argmax_backward = max_pool_backward(3)
