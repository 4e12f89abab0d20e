"""What is said about names that the package does not have."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib.util import find_spec


def absent(name: str, known: Sequence[str]) -> AttributeError:
    if find_spec(f"acltwin.{name}") is not None:
        return AttributeError(f"acltwin.{name} is not imported; write 'import acltwin.{name}' first", name=name)
    near = difflib.get_close_matches(name, known, 1)
    fix = f"did you mean {near[0]}?" if near else "dir(acltwin) lists them"
    return AttributeError(f"acltwin has no {name!r}, expected one of its functions; {fix}", name=name)
