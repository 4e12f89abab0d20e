"""The names of a module: what it has, and a sentence for what it has not."""

from __future__ import annotations

from collections.abc import Mapping


def absent(module: str, name: str) -> AttributeError:
    """For what pyACL has, or what a typo makes, and this binding does not have."""
    place = module.removeprefix("acltwin.")
    return AttributeError(
        f"module {module!r} has no attribute {name!r}: acltwin runs aclnn operators, not models; "
        f"dir({place}) lists its functions"
    )


def own_names(namespace: Mapping[str, object]) -> list[str]:
    """The public functions that a module defines itself, out of its ``globals()``."""
    module = namespace["__name__"]
    return [
        name
        for name, value in namespace.items()
        if getattr(value, "__module__", None) == module and not name.startswith("_")
    ]
