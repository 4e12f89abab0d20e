"""The gradient of 2-D average pooling to a given size."""

from __future__ import annotations

from acltwin.reference._average import adaptive_avg_pool_backward

adaptive_avg_pool2d_backward = adaptive_avg_pool_backward(2)
