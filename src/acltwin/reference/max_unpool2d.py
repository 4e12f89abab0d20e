"""2-D max unpooling."""

from __future__ import annotations

from acltwin.reference._max_unpool import max_unpool

max_unpool2d = max_unpool(2)
