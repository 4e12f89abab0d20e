"""acltwin on dask arrays: volumes larger than memory, on the cores of one machine or on a cluster.

The functions are those of :mod:`acltwin`, with the same arguments (without ``out``), checks and messages. They return
dask arrays at once. Chunks along N and C are computed each on its own, with the bits that one call would give. Planes
(D, H, W) must be whole: ``spatial_chunks`` says what happens to tensors whose planes are cut.
"""

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise ImportError("acltwin.dask needs dask, which is not installed; pip install 'acltwin[dask]'") from error

from acltwin.dask._pool import (
    max_pool3d_with_argmax,
    max_pool3d_with_argmax_backward,
    max_unpool3d,
    max_unpool3d_backward,
)
from acltwin.dask._upsample import (
    upsample_nearest3d,
    upsample_nearest3d_backward,
    upsample_nearest_exact2d,
    upsample_nearest_exact2d_backward,
    upsample_nearest_exact3d,
    upsample_nearest_exact3d_backward,
)

__all__ = [
    "max_pool3d_with_argmax",
    "max_pool3d_with_argmax_backward",
    "max_unpool3d",
    "max_unpool3d_backward",
    "upsample_nearest3d",
    "upsample_nearest3d_backward",
    "upsample_nearest_exact2d",
    "upsample_nearest_exact2d_backward",
    "upsample_nearest_exact3d",
    "upsample_nearest_exact3d_backward",
]
