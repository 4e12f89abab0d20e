"""The examples in the functions' docstrings are true."""

from __future__ import annotations

import doctest

import pytest

import acltwin
from acltwin.ops import OPERATORS


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_examples_of_a_function(operator: str) -> None:
    function = getattr(acltwin, operator)
    (test,) = doctest.DocTestFinder(recurse=False).find(function, operator, globs={operator: function})
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 0
    assert result.failed == 0
