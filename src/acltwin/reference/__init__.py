"""The operators once more, in NumPy and float64, one file each: slow, and as close to the formulas as code can be.

The tests and the golden tools measure everything else against these functions. They take the arguments of the array
functions (without ``out``) as NumPy arrays, check nothing, and return float64, or the integer dtype they were given.
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray


class Reference(Protocol):
    def __call__(self, *arguments: Any, **options: Any) -> NDArray[np.generic]: ...


def reference_of(operator: str) -> Reference:
    """The reference of an operator by its name, such as ``"max_unpool3d_backward"``."""
    module = importlib.import_module(f"{__name__}.{operator}")
    return cast(Reference, getattr(module, operator))
