"""The gradient of each operator, found in its spec.

The gradient of an operator is a call of its partner, whose arguments are known by their names. Two are not, because
indices may repeat: the gradient of the pooling gradient gathers, the one of the unpooling gradient adds up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from acltwin.ops import OPERATORS, OpSpec
from acltwin.torch._define import defaults_of, tensors_of
from acltwin.torch._fake import windows_of
from acltwin.torch._plain import is_plain

if TYPE_CHECKING:
    from acltwin.torch._autograd import Operator

Gradient = Callable[..., Any]
"""From the result's gradient, and the indices if they were kept, to the first tensor's gradient."""

Formula = Callable[[tuple[Any, ...], dict[str, Any], Any], tuple[Tensor | None, Gradient]]
"""From a call's arguments, its modes and its result to the indices to keep and the gradient.

Shapes and indices are all that is kept: no operator needs the values of its input again.
"""


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
    for place, argument in enumerate(spec.parameters):
        if argument.holds in ("indices", "mask"):
            return lambda arguments, _: arguments[place]
    for place, argument in enumerate(spec.results):
        if argument.holds in ("indices", "mask"):
            return lambda _, result: result[place]
    return lambda _, __: None


def reader_of(spec: OpSpec) -> Callable[[tuple[Any, ...]], Callable[[Tensor, Sequence[int]], Tensor]]:
    """From a call's arguments to what reads indices, of windows of this shape, in what the call has found."""
    arguments_of = [argument.common_name for argument in spec.parameters]
    if all(argument.holds != "mask" for argument in spec.arguments):
        return lambda _: lambda indices, _: indices
    defaults, axes = defaults_of(spec), len(spec.axes)

    def of_call(arguments: tuple[Any, ...]) -> Callable[[Tensor, Sequence[int]], Tensor]:
        given = dict(zip(arguments_of, (*arguments, *defaults[len(arguments) :]), strict=True))
        windows, plane = windows_of(spec, given), given["self"].shape[-axes:]

        def read(mask: Tensor, shape: Sequence[int]) -> Tensor:
            if any(along.kernel != 1 for along in windows):
                return mask.flatten()[: 4 * math.prod(shape)].view(torch.int32).view(shape)
            cells = torch.arange(math.prod(plane)).view(plane)
            return cells[tuple(slice(None, None, along.stride) for along in windows)].expand(shape)

        return read

    return of_call


@lru_cache(maxsize=256)
def _plain_nothing(shape: torch.Size, dtype: torch.dtype) -> Tensor:
    with torch.inference_mode(False):  # it outlives the mode of the call that made it
        return torch.empty(1, dtype=dtype).expand(shape)


def _nothing(grad: Tensor, shape: torch.Size, plain: bool) -> Tensor:
    """A tensor of which only the shape counts. It takes no memory."""
    return _plain_nothing(shape, grad.dtype) if plain else grad.new_empty(1).expand(shape)


def _by_partner(spec: OpSpec, operators: Mapping[str, Operator]) -> Formula:
    partner, indices_of, defaults = OPERATORS[spec.partner], _indices(spec), defaults_of(spec)
    needs_nothing = any(argument.holds == "shape" for argument in partner.parameters)
    # Behind its tensors the partner takes the operator's own arguments, known by their names, and perhaps the sizes.
    names = ["sizes" if argument.begins_with_batch else argument.common_name for argument in partner.parameters]
    count, axes = len(spec.parameters), len(spec.axes)
    places = {"outputSize": count + 1, "sizes": count}  # the first tensor's plane, and its shape
    places |= {argument.common_name: place for place, argument in enumerate(spec.parameters)}
    others = [places[name] for name in names[tensors_of(partner) :]]

    def formula(arguments: tuple[Any, ...], modes: dict[str, Any], result: Any) -> tuple[Tensor | None, Gradient]:
        shape = arguments[0].shape
        values = (*arguments, *defaults[len(arguments) :], shape, shape[-axes:])
        rest = [values[place] for place in others]  # tensors are not among them: they would stay in memory
        kept = modes if partner.has_map_rule else {}

        def gradient(grad: Tensor, *indices: Tensor) -> Any:
            plain = is_plain((grad, *indices))
            operator = operators[partner.name].by_way(plain)
            if needs_nothing:
                return operator(grad, _nothing(grad, shape, plain), *indices, *rest, **kept)
            return operator(grad, *indices, *rest, **kept)

        return indices_of(arguments, result), gradient

    return formula


def composed(spec: OpSpec, operators: Mapping[str, Operator]) -> Callable[..., Any] | None:
    """Max pooling without indices as that with indices of a tensor that is padded: so it has all derivatives.

    Behind its cells the tensor is padded, or cut, as far as windows reach. None for other operators.
    """
    if spec.family != "plain_pool":
        return None
    with_indices = next(
        other.name
        for other in OPERATORS.values()
        if other.family == "pool" and other.axes == spec.axes and not other.is_gradient
    )
    names, defaults, axes = [argument.common_name for argument in spec.parameters], defaults_of(spec), len(spec.axes)

    def compute(*arguments: Any) -> Any:
        given = dict(zip(names, (*arguments, *defaults[len(arguments) :]), strict=True))
        tensor, windows = arguments[0], windows_of(spec, given)
        around: list[int] = []
        for along, size in zip(windows, tensor.shape[-axes:], strict=True):
            reached = (along.count(size, given["ceilMode"]) - 1) * along.stride + along.kernel
            around = [along.before, reached - size - along.before, *around]
        padded = torch.nn.functional.pad(tensor, around, value=-torch.inf)
        window = [along.kernel for along in windows], [along.stride for along in windows], 0, 1, False
        values, _ = operators[with_indices](padded, *window)
        return values

    return compute


def formula_of(spec: OpSpec, operators: Mapping[str, Operator]) -> Formula:
    """The gradient of an operator; ``operators`` will hold all of them when a gradient is taken."""
    axes, indices_of, reader = len(spec.axes), _indices(spec), reader_of(spec)
    if not spec.is_gradient or spec.family in ("upsample", "average", "linear"):
        return _by_partner(spec, operators)
    if spec.family in ("pool", "masked_pool", "adaptive_pool"):

        def of_pooling_gradient(arguments: tuple[Any, ...], _: dict[str, Any], result: Any) -> tuple[Any, Gradient]:
            shape, read = arguments[0].shape, reader(arguments)
            return indices_of(arguments, result), lambda grad, found: gather(grad, read(found, shape), axes)

        return of_pooling_gradient

    def of_unpooling_gradient(arguments: tuple[Any, ...], _: dict[str, Any], result: Any) -> tuple[Any, Gradient]:
        shape = arguments[0].shape
        return indices_of(arguments, result), lambda grad, indices: _scatter_sum(grad, indices, shape, axes)

    return of_unpooling_gradient
