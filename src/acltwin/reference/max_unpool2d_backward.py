"""The gradient of 2-D max unpooling."""

from __future__ import annotations

from acltwin.reference._max_unpool import max_unpool_backward

max_unpool2d_backward = max_unpool_backward(2)
