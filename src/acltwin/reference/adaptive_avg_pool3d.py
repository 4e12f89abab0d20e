"""3-D average pooling to a given size."""

from __future__ import annotations

from acltwin.reference._average import adaptive_avg_pool

adaptive_avg_pool3d = adaptive_avg_pool(3)
