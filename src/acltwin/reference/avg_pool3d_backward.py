"""The gradient of 3-D average pooling."""

from __future__ import annotations

from acltwin.reference._average import avg_pool_backward

avg_pool3d_backward = avg_pool_backward(3)
