"""2-D: max pooling to a given size."""

from __future__ import annotations

from acltwin.reference._max_pool import adaptive_max_pool

adaptive_max_pool2d = adaptive_max_pool(2)
