"""The examples in the functions' own documentation."""

from __future__ import annotations

import doctest
import importlib

import pytest

from acltwin.ops import OPERATORS


@pytest.mark.parametrize("name", OPERATORS)
def test_examples_of_the_docstring(name: str) -> None:
    results = doctest.testmod(importlib.import_module(f"acltwin.ops.{name}"))
    assert results.attempted > 0
    assert results.failed == 0
