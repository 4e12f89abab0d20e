"""The example calls of the operators' specifications, made on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

import acltwin
from acltwin.ops.spec import CallCase, OpSpec, TensorCase
from support.values import BFLOAT16, Array


def array_of(tensor: TensorCase) -> Array:
    """The tensor of an example: its values, or zeros; broadcast memory where its strides say so."""
    dtype = BFLOAT16 if tensor.dtype == "bfloat16" else np.dtype(tensor.dtype)
    if tensor.values is not None:
        return np.array(tensor.values).astype(dtype).reshape(tensor.shape)
    if tensor.strides is not None:
        return as_strided(np.zeros(16, dtype), tensor.shape, [step * dtype.itemsize for step in tensor.strides])
    return np.zeros(tensor.shape, dtype)


def run_on_arrays(spec: OpSpec, call: CallCase, *, with_out: bool = True) -> tuple[Array, ...]:
    """Calls the array function with the example's arguments, in their documented order; its results."""
    arguments = {
        argument: array_of(value) if isinstance(value, TensorCase) else value
        for argument, value in ((argument, call.arguments[argument.name]) for argument in spec.arguments)
    }
    out = as_returned(tuple(arguments[result] for result in spec.results)) if with_out else None
    returned = getattr(acltwin, spec.name)(*(arguments[argument] for argument in spec.parameters), out=out)
    return returned if isinstance(returned, tuple) else (returned,)


def as_returned(results: tuple[Any, ...]) -> Any:
    """One result stands for itself, two are a pair: so they are returned, and so ``out`` takes them."""
    return results if len(results) > 1 else results[0]
