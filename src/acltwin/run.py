"""``acltwin run``: the documented case of every operator, run and checked."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import ml_dtypes  # noqa: F401 - gives NumPy the name "bfloat16"
import numpy as np
from numpy.typing import NDArray

import acltwin
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import TensorCase, Value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments: it always runs them all."""


def run(arguments: argparse.Namespace) -> int:
    right = [run_example(spec) for spec in OPERATORS.values()]
    print(f"{sum(right)} of {len(right)} operators give the expected result")
    return 0 if all(right) else 1


def run_example(spec: OpSpec) -> bool:
    """Runs one operator's documented case, shows it, and returns whether the result is the expected one."""
    call = {argument.python_name: _value(spec.example.call.arguments[argument.name]) for argument in spec.parameters}
    print(f"{spec.name}: {spec.example.title}")
    words = (name if isinstance(value, np.ndarray) else f"{name}={value}" for name, value in call.items())
    print(f"  call    acltwin.{spec.name}({', '.join(words)})")
    for name, value in call.items():
        if isinstance(value, np.ndarray):
            print(f"  with    {name} = {_describe(value)}")

    with warnings.catch_warnings():  # one document's own case has its scales the wrong way round
        warnings.simplefilter("ignore", acltwin.InvertedScaleWarning)
        returned = getattr(acltwin, spec.name)(*call.values())
    results = returned if isinstance(returned, tuple) else (returned,)
    right = True
    for result, values in zip(results, spec.example.expected, strict=True):
        print(f"  result  {_describe(result)}")
        expected = np.array(values).astype(result.dtype).reshape(result.shape)
        if not np.allclose(result, expected, rtol=0, atol=spec.example.tolerance):
            right = False
            print(f"  FAILED  expected {_describe(expected)}")
    print("  ok      every element is as expected\n" if right else "")
    return right


def _value(value: Value) -> Any:
    """An argument as the array function takes it."""
    if not isinstance(value, TensorCase):
        return value
    values = np.zeros(value.shape) if value.values is None else np.array(value.values)
    return values.astype(value.dtype).reshape(value.shape)


def _describe(array: NDArray[Any]) -> str:
    """Type, shape, and the elements in C order."""
    return f"{array.dtype} {array.shape}: {' '.join(f'{value:g}' for value in array.ravel().tolist())}"
