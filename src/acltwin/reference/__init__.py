"""The operators once more, in NumPy and float64, one file each: slow, and as close to the formulas as code can be.

The tests and the golden tools measure everything else against these functions. They take the arguments of the array
functions (without ``out``) as NumPy arrays, check nothing, and return float64, or the integer dtype they were given.
"""

from acltwin.reference.interval_table import interval_table
from acltwin.reference.max_pool3d_with_argmax import max_pool3d_with_argmax
from acltwin.reference.max_pool3d_with_argmax_backward import max_pool3d_with_argmax_backward
from acltwin.reference.max_unpool3d import max_unpool3d
from acltwin.reference.max_unpool3d_backward import max_unpool3d_backward
from acltwin.reference.source_table import source_table
from acltwin.reference.upsample_nearest3d import upsample_nearest3d
from acltwin.reference.upsample_nearest3d_backward import upsample_nearest3d_backward
from acltwin.reference.upsample_nearest_exact2d import upsample_nearest_exact2d
from acltwin.reference.upsample_nearest_exact2d_backward import upsample_nearest_exact2d_backward
from acltwin.reference.upsample_nearest_exact3d import upsample_nearest_exact3d
from acltwin.reference.upsample_nearest_exact3d_backward import upsample_nearest_exact3d_backward

__all__ = [
    "interval_table",
    "max_pool3d_with_argmax",
    "max_pool3d_with_argmax_backward",
    "max_unpool3d",
    "max_unpool3d_backward",
    "source_table",
    "upsample_nearest3d",
    "upsample_nearest3d_backward",
    "upsample_nearest_exact2d",
    "upsample_nearest_exact2d_backward",
    "upsample_nearest_exact3d",
    "upsample_nearest_exact3d_backward",
]
