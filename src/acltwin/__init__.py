"""acltwin: the CPU twin of Ascend's aclnn operators for upsampling and pooling, and their gradients.

The functions below take NumPy arrays, PyTorch CPU tensors, JAX CPU arrays and anything else with ``__dlpack__``, and
return the same kind. Results are bit-identical for every thread count, instruction set and memory layout.
"""

from typing import TYPE_CHECKING

from acltwin._core import (
    __version__,
    get_num_threads,
    output_pool_limit,
    set_num_threads,
    set_output_pool_limit,
)
from acltwin._functions import *  # noqa: F403
from acltwin._functions import __all__ as _operators
from acltwin._warnings import InvertedScaleWarning

__all__ = [
    "InvertedScaleWarning",
    "__version__",
    "get_num_threads",
    "output_pool_limit",
    "set_num_threads",
    "set_output_pool_limit",
]
__all__ += _operators

if not TYPE_CHECKING:  # type checkers find typos for themselves

    def __getattr__(name: str) -> object:
        from acltwin._names import absent

        raise absent(name, __all__)
