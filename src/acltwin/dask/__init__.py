"""acltwin on dask arrays: volumes larger than memory, on the cores of one machine or on a cluster.

The functions are those of :mod:`acltwin`, with the same arguments (without ``out``), checks and messages. They return
Dask arrays at once. Chunks along N and C are computed each by itself, with the bits of one call. Volumes (D, H, W) may
also be cut for max pooling and averages over windows, and for upsampling by whole factors; ``spatial_chunks`` says what
happens to other tensors that are cut there.
"""

from typing import TYPE_CHECKING

from acltwin._extras import dask as _dask  # noqa: F401  first of all, for its message
from acltwin.dask._functions import FUNCTIONS as _FUNCTIONS

globals().update(_FUNCTIONS)
__all__ = [*_FUNCTIONS]


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # type checkers find typos for themselves

    def __getattr__(name: str) -> object:
        from acltwin._names import absent

        raise absent(name, __all__, __name__)
