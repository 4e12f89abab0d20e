"""3-D max pooling with the places of the maxima."""

from __future__ import annotations

from acltwin.reference._max_pool import max_pool

max_pool3d_with_argmax = max_pool(3)
