"""2-D average pooling."""

from __future__ import annotations

from acltwin.reference._average import avg_pool

avg_pool2d = avg_pool(2)
