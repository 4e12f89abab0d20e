"""The array functions are callables of C code, and behave as the Python functions that they stand for."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
import typing
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acltwin
from acltwin import _core
from acltwin.ops import OPERATORS
from acltwin.ops.spec import TensorCase
from support.spec_calls import array_of


def _arguments(operator: str) -> dict[str, Any]:
    """A right call, by parameter."""
    spec = OPERATORS[operator]
    values = {argument.python_name: spec.example.call.arguments[argument.name] for argument in spec.inputs}
    return {name: array_of(value) if isinstance(value, TensorCase) else value for name, value in values.items()}


def _outcome(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    try:
        results = function(*arguments, **keywords)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    arrays = results if isinstance(results, tuple) else (results,)
    return [(array.dtype, array.shape, array.tobytes()) for array in arrays]


def _python_calls(call: Callable[[], Any]) -> list[str]:
    """Names of the Python functions of the package that run meanwhile."""
    names = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_globals["__name__"] == "acltwin._functions":
            names.append(frame.f_code.co_name)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return names


@pytest.mark.parametrize("operator", OPERATORS)
def test_it_looks_like_the_python_function(operator: str) -> None:
    function = getattr(acltwin, operator)
    python_function = function.__wrapped__
    assert type(function) is _core.ArrayFunction
    assert inspect.isfunction(python_function)
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        assert getattr(function, name) == getattr(python_function, name)
    assert inspect.signature(function) == inspect.signature(python_function)
    assert "return" in typing.get_type_hints(function)
    assert operator in repr(function)
    assert inspect.isroutine(function)  # so help() and autodoc show it as a function


@pytest.mark.parametrize("operator", OPERATORS)
def test_it_is_one_object_everywhere(operator: str) -> None:
    function = getattr(acltwin, operator)
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    assert weakref.ref(function)() is function
    assert {function: 1}[function] == 1


def test_in_a_class_it_is_a_method() -> None:
    class Unpooling:
        function = acltwin.max_unpool3d

    assert Unpooling.function is acltwin.max_unpool3d
    bound = Unpooling().function
    assert inspect.ismethod(bound)
    assert bound.__func__ is acltwin.max_unpool3d.__wrapped__  # type: ignore[attr-defined]


@pytest.mark.parametrize("operator", OPERATORS)
@given(data=st.data())
def test_arguments_are_sorted_as_python_does_it(operator: str, data: st.DataObject) -> None:
    function, named = getattr(acltwin, operator), _arguments(operator)
    count = data.draw(st.integers(0, len(named)), "by position")
    positional = tuple(named.values())[:count]
    keywords = dict(list(named.items())[count:])
    for name in data.draw(st.sets(st.sampled_from([*named, "out", "rule", "data_format"]), max_size=2), "left out"):
        keywords.pop(name, None)
    extra = {"out": None, "rule": "torch", "data_format": "NCHW", "index_dtype": "int64", "nonsense": 1}
    for name in data.draw(st.sets(st.sampled_from([*extra, *named]), max_size=2), "added"):
        keywords[name] = extra[name] if name in extra else named[name]
    if data.draw(st.booleans(), "one too many"):
        positional = (*positional, *keywords.values(), None)
    if data.draw(st.booleans(), "names that are other objects"):
        keywords = {"".join(list(name)): value for name, value in keywords.items()}
    assert _outcome(function, positional, keywords) == _outcome(function.__wrapped__, positional, keywords)


def test_no_python_function_runs_in_usual_calls() -> None:
    image, out = np.zeros((1, 1, 2, 2), np.float32), np.empty((1, 1, 4, 4), np.float32)
    upsample: Any = acltwin.upsample_nearest2d
    assert _python_calls(lambda: upsample(image, (4, 4))) == []
    assert _python_calls(lambda: upsample(image, output_size=(4, 4), rule="torch", out=out)) == []
    assert _python_calls(lambda: upsample(image, **{"".join(["output", "_size"]): (4, 4)})) == ["upsample_nearest2d"]


def test_names_in_the_source_and_names_in_a_dictionary() -> None:
    image = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    expected = acltwin.upsample_nearest2d(image, (4, 3))
    assert (acltwin.upsample_nearest2d(output_size=(4, 3), input=image) == expected).all()
    other_objects: dict[str, Any] = {"".join(["output", "_size"]): (4, 3), "".join(["in", "put"]): image}
    assert (acltwin.upsample_nearest2d(**other_objects) == expected).all()
    out = np.empty((1, 1, 4, 3), np.float32)
    assert acltwin.upsample_nearest2d(image, (4, 3), out=out) is out
    assert (out == expected).all()


def test_an_error_shows_the_calling_line() -> None:
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'output_size'"):
        acltwin.upsample_nearest2d(np.zeros((1, 1, 2, 2), np.float32))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'sizes'"):
        acltwin.upsample_nearest2d(np.zeros((1, 1, 2, 2), np.float32), sizes=(4, 4))  # type: ignore[call-arg]


def test_only_functions_of_an_operator_become_such_objects() -> None:
    def other() -> None: ...

    with pytest.raises(ValueError, match='expected the name of an operator first, got "other"'):
        _core.array_function(other)

    def max_unpool3d(input: Any, indices: Any, *, out: Any = None) -> None: ...

    with pytest.raises(TypeError, match="max_unpool3d has no parameter output_size"):
        _core.array_function(max_unpool3d)

    def max_unpool3d_backward(
        grad_output: Any, input: Any, indices: Any, output_size: Any, stride: Any, padding: Any, more: Any, *, out: Any
    ) -> None: ...

    with pytest.raises(TypeError, match="max_unpool3d_backward has a parameter that its operator has not"):
        _core.array_function(max_unpool3d_backward)
    with pytest.raises(AttributeError, match="__name__"):
        _core.array_function(typing.cast("Any", 3))
    with pytest.raises(TypeError, match="cannot create"):
        _core.ArrayFunction()
