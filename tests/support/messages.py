"""Errors must explain themselves: which function, which argument, what was expected, how to fix it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def explains(error: type[Exception], operator: str, *words: str) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Like pytest.raises, and the text has the common shape and holds all the words."""
    with pytest.raises(error) as caught:
        yield caught
    text = str(caught.value)
    assert text.startswith(f"{operator}: "), text
    assert ";" in text or "expected" in text, f"what is right is missing: {text}"
    for word in words:
        assert word in text, f"{word!r} is missing: {text}"
