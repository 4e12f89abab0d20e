"""2-D max pooling, values only."""

from __future__ import annotations

from acltwin.reference._max_pool import plain_max_pool

max_pool = plain_max_pool(2)
