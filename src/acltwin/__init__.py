"""acltwin: the CPU twin of Ascend's aclnn operators for upsampling, max pooling and max unpooling, and their gradients.

The functions below take NumPy arrays, PyTorch CPU tensors, JAX CPU arrays and anything else with ``__dlpack__``, and
return the same kind. Results are bit-identical for every thread count, instruction set and memory layout.
"""

from acltwin._core import (
    __version__,
    get_num_threads,
    output_pool_limit,
    set_num_threads,
    set_output_pool_limit,
)
from acltwin.ops.max_pool3d_with_argmax import max_pool3d_with_argmax
from acltwin.ops.max_pool3d_with_argmax_backward import max_pool3d_with_argmax_backward
from acltwin.ops.max_unpool3d import max_unpool3d
from acltwin.ops.max_unpool3d_backward import max_unpool3d_backward
from acltwin.ops.upsample_nearest3d import upsample_nearest3d
from acltwin.ops.upsample_nearest3d_backward import upsample_nearest3d_backward
from acltwin.ops.upsample_nearest_exact2d import upsample_nearest_exact2d
from acltwin.ops.upsample_nearest_exact2d_backward import upsample_nearest_exact2d_backward
from acltwin.ops.upsample_nearest_exact3d import upsample_nearest_exact3d
from acltwin.ops.upsample_nearest_exact3d_backward import upsample_nearest_exact3d_backward

__all__ = [
    "__version__",
    "get_num_threads",
    "max_pool3d_with_argmax",
    "max_pool3d_with_argmax_backward",
    "max_unpool3d",
    "max_unpool3d_backward",
    "output_pool_limit",
    "set_num_threads",
    "set_output_pool_limit",
    "upsample_nearest3d",
    "upsample_nearest3d_backward",
    "upsample_nearest_exact2d",
    "upsample_nearest_exact2d_backward",
    "upsample_nearest_exact3d",
    "upsample_nearest_exact3d_backward",
]
