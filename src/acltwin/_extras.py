"""The libraries that parts of the package need and the package itself does not.

``from acltwin._extras import torch`` imports the library, or says how to get it.
"""

from __future__ import annotations

import importlib
from types import ModuleType

_LIBRARIES = {"dask": "dask.array", "jax": "jax", "torch": "torch"}


def __getattr__(name: str) -> ModuleType:
    if name not in _LIBRARIES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return importlib.import_module(_LIBRARIES[name])
    except ImportError as error:
        raise ImportError(
            f"acltwin.{name} needs {name}, which cannot be imported ({error}); in a clone of acltwin's repository: "
            f"pip install '.[{name}]'"
        ) from error
