"""What is legal, but hardly meant."""

from __future__ import annotations

import sys
import warnings

_BETWEEN = ("acltwin", "torch", "jax", "dask")
"""Packages whose frames may lie between the program and the library."""


class InvertedScaleWarning(UserWarning):
    """A scale is nearer to the inverse of the factor that the sizes have than to the factor itself."""


def warn_of_inverted_scale(text: str) -> None:
    """Called by the native code. The warning belongs to the line of the program that called the function."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, InvertedScaleWarning, stacklevel=level)
