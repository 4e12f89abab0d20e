"""The gradient of 2-D max pooling."""

from __future__ import annotations

from acltwin.reference._max_pool import max_pool_backward

max_pool2d_with_indices_backward = max_pool_backward(2)
