"""The gradients: forward and backward operators are each other's derivative, so they can be taken any number of times.

All operators are linear in their first tensor (max pooling is, once its maxima are found), and no other tensor has a
gradient. So the derivative along a tangent is the operator itself, and the gradient is its partner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import _C, Tensor
from torch._functorch.autograd_function import enable_single_level_autograd_function  # type: ignore[attr-defined]
from torch.autograd import forward_ad

from acltwin.torch._define import LIBRARY, OPERATORS, Kernel
from acltwin.torch._plain import BELOW_AUTOGRAD, is_plain

Gradient = Callable[..., Any]
"""From the result's gradient, and the indices if they were kept, to the first tensor's gradient."""

Formula = Callable[[tuple[Any, ...], dict[str, Any], Any], tuple[Tensor | None, Gradient]]
"""From a call's arguments, its modes and its result to the indices to keep and the gradient."""

OPS: dict[str, Operator] = {}
"""Every operator by its name."""

_NO_GRADIENTS = (None,) * 8  # for all arguments behind the first; PyTorch takes more of them than there are arguments


def _shaped(like: Tensor, shape: torch.Size) -> Tensor:
    """A tensor of that shape that takes no memory, where only shape and dtype count."""
    return like.new_empty(1).expand(shape)


def _rows(planes: Tensor) -> Tensor:
    """Each D*H*W plane as one row."""
    return planes.reshape(*planes.shape[:-3], -1)


def gather(planes: Tensor, indices: Tensor) -> Any:
    """The elements of each D*H*W plane that the indices name."""
    sizes = planes.shape[-3:]
    if sizes.numel() < indices.shape[-3:].numel():  # possible where windows overlap; the operator refuses it
        return _rows(planes).gather(-1, _rows(indices).long()).view(indices.shape)
    like = _shaped(planes, indices.shape)
    return OPS["max_unpool3d_backward"](planes, like, indices, sizes, (1, 1, 1), (0, 0, 0))


def _scatter_sum(values: Tensor, indices: Tensor, shape: torch.Size) -> Tensor:
    """Planes of zeros, with each value added where its index says."""
    planes = _rows(values.new_zeros(shape))
    return planes.scatter_add(-1, _rows(indices).long(), _rows(values)).view(shape)


# ---- one formula per operator. They keep shapes and indices: no operator needs the values of its input again. ----


def _of_upsample(backward: str) -> Formula:
    def formula(arguments: tuple[Any, ...], modes: dict[str, Any], _: Tensor) -> tuple[None, Gradient]:
        (size, output_size), scales = (arguments[0].shape, arguments[1]), arguments[2:]
        return None, lambda grad: OPS[backward](grad, output_size, size, *scales, **modes)

    return formula


def _of_upsample_backward(forward: str) -> Formula:
    def formula(arguments: tuple[Any, ...], modes: dict[str, Any], _: Tensor) -> tuple[None, Gradient]:
        output_size, scales = arguments[1], arguments[3:]
        return None, lambda grad: OPS[forward](grad, output_size, *scales, **modes)

    return formula


def _of_max_unpool3d(arguments: tuple[Any, ...], _: dict[str, Any], __: Tensor) -> tuple[Tensor, Gradient]:
    indices, sizes = arguments[1], arguments[2:]

    def gradient(grad: Tensor, indices: Tensor) -> Any:
        return OPS["max_unpool3d_backward"](grad, _shaped(grad, indices.shape), indices, *sizes)

    return indices, gradient


def _of_max_unpool3d_backward(arguments: tuple[Any, ...], _: dict[str, Any], __: Tensor) -> tuple[Tensor, Gradient]:
    shape = arguments[0].shape
    return arguments[2], lambda grad, indices: _scatter_sum(grad, indices, shape)


def _of_max_pool3d(arguments: tuple[Any, ...], _: dict[str, Any], result: Any) -> tuple[Tensor, Gradient]:
    shape, window = arguments[0].shape, arguments[1:]

    def gradient(grad: Tensor, indices: Tensor) -> Any:
        return OPS["max_pool3d_with_argmax_backward"](grad, _shaped(grad, shape), indices, *window)

    return result[1], gradient


def _of_max_pool3d_backward(arguments: tuple[Any, ...], _: dict[str, Any], __: Tensor) -> tuple[Tensor, Gradient]:
    return arguments[2], gather


_FORMULAS: dict[str, Formula] = {
    "max_unpool3d": _of_max_unpool3d,
    "max_unpool3d_backward": _of_max_unpool3d_backward,
    "max_pool3d_with_argmax": _of_max_pool3d,
    "max_pool3d_with_argmax_backward": _of_max_pool3d_backward,
}
for _name in ("upsample_nearest2d", "upsample_nearest3d", "upsample_nearest_exact2d", "upsample_nearest_exact3d"):
    _FORMULAS[_name] = _of_upsample(f"{_name}_backward")
    _FORMULAS[f"{_name}_backward"] = _of_upsample_backward(_name)


# ---- from formulas to PyTorch ----


def _node(name: str) -> Any:
    """The autograd function of an operator. Its first argument computes the operator below autograd."""
    formula, makes_indices = _FORMULAS[name], name == "max_pool3d_with_argmax"

    def forward(ctx: Any, compute: Kernel, modes: dict[str, Any], *arguments: Any) -> Any:
        result = compute(*arguments, **modes)
        indices, ctx.gradient = formula(arguments, modes, result)
        if indices is not None:
            ctx.save_for_backward(indices)
        if makes_indices:
            ctx.mark_non_differentiable(indices)
            ctx.set_materialize_grads(False)  # or zeros would be made for the gradient of the indices
        if forward_ad._current_level >= 0:
            ctx.call = modes, arguments, indices
        return result

    def backward(ctx: Any, grad: Tensor | None, *_: Any) -> Any:
        return None, None, None if grad is None else ctx.gradient(grad, *ctx.saved_tensors), *_NO_GRADIENTS

    def jvp(ctx: Any, _: None, __: None, tangent: Tensor | None, *___: Any) -> Any:
        modes, arguments, indices = ctx.call
        if tangent is None:
            return None
        return (gather(tangent, indices), None) if makes_indices else OPS[name](tangent, *arguments[1:], **modes)

    functions = {function.__name__: staticmethod(function) for function in (forward, backward, jvp)}
    return type("".join(word.capitalize() for word in name.split("_")), (torch.autograd.Function,), functions)


def _below_autograd(operator: Any, keys: Any) -> Kernel:
    """The operator as the rest of the dispatcher computes it."""
    grad_enabled = _C.is_grad_enabled()

    def compute(*arguments: Any, **modes: Any) -> Any:
        # An autograd function switches gradients off for what it calls. Where transforms of torch.func are nested, the
        # outer ones come below autograd again and must find what they would without us.
        gradients, tangents = torch.set_grad_enabled(grad_enabled), forward_ad._set_fwd_grad_enabled(True)
        with gradients, tangents, _C._AutoDispatchBelowAutograd():
            return operator.redispatch(keys & _C._after_autograd_keyset, *arguments, **modes)

    return compute


class Operator:
    """An operator with its two ways in: by the dispatcher, and directly where nobody listens there."""

    def __init__(self, name: str) -> None:
        schema, self._kernel = OPERATORS[name]
        self._tensors = schema.count("Tensor ")
        self._dispatched = getattr(torch.ops.acltwin, name).default
        # Not Function.apply, which serves functions that know nothing of the dispatcher: the dispatcher has dealt with
        # the transforms around the level that is differentiated here.
        self._record = super(torch.autograd.Function, _node(name)).apply  # type: ignore[misc]
        LIBRARY.impl(name, self._at_autograd, "Autograd", with_keyset=True)

    def __call__(self, *arguments: Any, **modes: Any) -> Any:
        """By the shortest way."""
        return self.by_way(is_plain(arguments[: self._tensors]))(*arguments, **modes)

    def by_way(self, plain: bool) -> Kernel:
        """The operator for tensors that are plain, or not."""
        return self._directly if plain else self._dispatched

    def _directly(self, *arguments: Any, **modes: Any) -> Any:
        return self._differentiable(self._kernel, modes, arguments)

    def _at_autograd(self, keys: Any, *arguments: Any, **modes: Any) -> Any:
        if keys.raw_repr() == BELOW_AUTOGRAD:
            return self._differentiable(self._kernel, modes, arguments)
        with enable_single_level_autograd_function():
            return self._differentiable(_below_autograd(self._dispatched, keys), modes, arguments)

    def _differentiable(self, compute: Kernel, modes: dict[str, Any], arguments: tuple[Any, ...]) -> Any:
        if (arguments[0].requires_grad and _C.is_grad_enabled()) or forward_ad._current_level >= 0:
            return self._record(compute, modes, *arguments)
        return compute(*arguments, **modes)


for _name in OPERATORS:
    OPS[_name] = Operator(_name)
