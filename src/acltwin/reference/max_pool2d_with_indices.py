"""2-D max pooling with the places of the maxima."""

from __future__ import annotations

from acltwin.reference._max_pool import max_pool

max_pool2d_with_indices = max_pool(2)
