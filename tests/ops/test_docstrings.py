"""The examples in the functions' docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

from acltwin.ops import OPERATORS


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_examples_of_a_function(operator: str) -> None:
    result = doctest.testmod(importlib.import_module(f"acltwin.ops.{operator}"))
    assert result.attempted > 0
    assert result.failed == 0
