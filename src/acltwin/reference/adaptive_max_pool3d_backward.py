"""3-D: the gradient of max pooling to a given size."""

from __future__ import annotations

from acltwin.reference._max_pool import max_pool_backward

adaptive_max_pool3d_backward = max_pool_backward(3)
