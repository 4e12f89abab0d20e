"""The array functions are Python functions: whatever looks at them sees the signature that is called."""

from __future__ import annotations

import inspect
import pickle
import typing

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS


@pytest.mark.parametrize("operator", OPERATORS)
def test_it_is_a_function_with_its_own_signature(operator: str) -> None:
    function, spec = getattr(acltwin, operator), OPERATORS[operator]
    assert inspect.isfunction(function)
    found = inspect.getfullargspec(function)
    assert found.args == [argument.python_name for argument in spec.parameters]
    assert "out" in found.kwonlyargs
    parameters = inspect.signature(function).parameters.values()
    defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
    by_position = zip(reversed(found.args), reversed(found.defaults or ()), strict=False)
    assert {**dict(by_position), **(found.kwonlydefaults or {})} == defaults
    assert "return" in typing.get_type_hints(function)
    assert pickle.loads(pickle.dumps(function)) is function


def test_an_error_shows_the_calling_line() -> None:
    with pytest.raises(TypeError, match=r"missing 2 required positional arguments: 'output_size' and 'input_size'"):
        acltwin.upsample_nearest2d_backward(np.zeros((1, 1, 2, 2), np.float32))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'sizes'"):
        acltwin.upsample_nearest2d(np.zeros((1, 1, 2, 2), np.float32), sizes=(4, 4))  # type: ignore[call-arg]
