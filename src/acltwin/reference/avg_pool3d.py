"""3-D average pooling."""

from __future__ import annotations

from acltwin.reference._average import avg_pool

avg_pool3d = avg_pool(3)
