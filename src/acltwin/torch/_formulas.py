"""The gradient of each operator, found in its spec.

The gradient of an operator is a call of its partner, whose arguments are known by their names. Two are not, because
indices may repeat: the gradient of the pooling gradient gathers, the one of the unpooling gradient adds up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument
from acltwin.torch._define import Kernel, tensors_of

Gradient = Callable[..., Any]
"""From the result's gradient, and the indices if they were kept, to the first tensor's gradient."""

Formula = Callable[[tuple[Any, ...], dict[str, Any], Any], tuple[Tensor | None, Gradient]]
"""From a call's arguments, its modes and its result to the indices to keep and the gradient.

Shapes and indices are all that is kept: no operator needs the values of its input again.
"""

_SIZES, _EMPTY, _INDICES = -1, -2, -3  # for a partner's arguments that are none of the operator's own


def _rows(planes: Tensor, axes: int) -> Tensor:
    """Each plane as one row."""
    return planes.reshape(*planes.shape[:-axes], -1)


def gather(planes: Tensor, indices: Tensor, axes: int) -> Tensor:
    """The elements of each plane that the indices name."""
    return _rows(planes, axes).gather(-1, _rows(indices, axes).long()).view(indices.shape)


def _scatter_sum(values: Tensor, indices: Tensor, shape: torch.Size, axes: int) -> Tensor:
    """Planes of zeros, with each value added where its index says."""
    planes = _rows(values.new_zeros(shape), axes)
    return planes.scatter_add(-1, _rows(indices, axes).long(), _rows(values, axes)).view(shape)


def _indices(spec: OpSpec) -> Callable[[tuple[Any, ...], Any], Tensor | None]:
    """Where the indices of a call are found: among its arguments, among its results, or nowhere."""
    for place, argument in enumerate(spec.inputs):
        if argument.holds == "indices":
            return lambda arguments, _: arguments[place]
    for place, argument in enumerate(spec.results):
        if argument.holds == "indices":
            return lambda _, result: result[place]
    return lambda _, __: None


def _source(argument: Argument, names: list[str]) -> int:
    """Which of an operator's arguments, known by their names, its partner takes for this one of its own."""
    if argument.holds == "indices":
        return _INDICES
    if argument.holds == "shape":
        return _EMPTY
    return _SIZES if argument.begins_with_batch else names.index(argument.name)


def _by_partner(spec: OpSpec, operators: Mapping[str, Kernel]) -> Formula:
    partner, tensors, indices_of = OPERATORS[spec.partner], tensors_of(spec), _indices(spec)
    names = [argument.name for argument in spec.inputs]
    sources = [_source(argument, names) for argument in partner.inputs[1:]]

    def formula(arguments: tuple[Any, ...], modes: dict[str, Any], result: Any) -> tuple[Tensor | None, Gradient]:
        shape, values = arguments[0].shape, (None,) * tensors + arguments[tensors:]  # tensors would stay in memory

        def gradient(grad: Tensor, *indices: Tensor) -> Any:
            call: list[Any] = [grad]
            for source in sources:
                if source == _SIZES:
                    call.append(shape)
                elif source == _EMPTY:
                    call.append(grad.new_empty(1).expand(shape))  # takes no memory
                elif source == _INDICES:
                    call.append(indices[0])
                elif source < len(values):  # what was left out at the end is left out again
                    call.append(values[source])
            return operators[partner.name](*call, **(modes if partner.has_map_rule else {}))

        return indices_of(arguments, result), gradient

    return formula


def formula_of(spec: OpSpec, operators: Mapping[str, Kernel]) -> Formula:
    """The gradient of an operator; ``operators`` will hold all of them when a gradient is taken."""
    axes, indices_of = len(spec.axes), _indices(spec)
    if not spec.is_gradient or spec.family == "upsample":
        return _by_partner(spec, operators)
    if spec.family == "pool":
        return lambda arguments, _, result: (
            indices_of(arguments, result),
            lambda grad, indices: gather(grad, indices, axes),
        )

    def of_unpooling_gradient(arguments: tuple[Any, ...], _: dict[str, Any], result: Any) -> tuple[Any, Gradient]:
        shape = arguments[0].shape
        return indices_of(arguments, result), lambda grad, indices: _scatter_sum(grad, indices, shape, axes)

    return of_unpooling_gradient
