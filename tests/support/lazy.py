"""PyTorch, JAX and Dask for the tests: loaded when a test first uses them, not when it is collected.

Collecting needs names and declarations, and every worker collects all tests. So what stands in a decorator is a name
("float16"), and a test turns it into what it names.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class Lazy(ModuleType):
    """Stands for a module until it is there."""

    def __getattr__(self, name: str) -> Any:
        if (
            name.startswith("__") or name == "_mock_name"
        ):  # pytest asks everything in a module for such while it collects
            raise AttributeError(name)
        return getattr(importlib.import_module(self.__name__), name)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self.__name__))


def loaded() -> set[str]:
    return {"torch", "jax", "dask", "distributed"} & sys.modules.keys()


torch = Lazy("torch")
functional = Lazy("torch.nn.functional")
jax = Lazy("jax")
jnp = Lazy("jax.numpy")
jax_test_util = Lazy("jax.test_util")
dask = Lazy("dask")
da = Lazy("dask.array")
distributed = Lazy("distributed")
acltwin_torch = Lazy("acltwin.torch")
acltwin_jax = Lazy("acltwin.jax")
acltwin_dask = Lazy("acltwin.dask")
