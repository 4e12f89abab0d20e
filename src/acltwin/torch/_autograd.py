"""The gradients: forward and backward operators are each other's derivative, so they can be taken any number of times.

All operators are linear in their first tensor (max pooling is, once its maxima are found), and no other tensor has a
gradient. So the derivative along a tangent is the operator itself, and the gradient is its partner.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import _C, Tensor
from torch._functorch.autograd_function import enable_single_level_autograd_function  # type: ignore[attr-defined]
from torch.autograd import forward_ad

from acltwin.ops import OPERATORS, OpSpec
from acltwin.torch._define import KERNELS, LIBRARY, Kernel, tensors_of
from acltwin.torch._formulas import composed, formula_of, gather, reader_of
from acltwin.torch._plain import BELOW_AUTOGRAD, is_plain

OPS: dict[str, Operator] = {}
"""Every operator by its name."""

_NO_GRADIENTS = (None,) * 8  # for all arguments behind the first; PyTorch takes more of them than there are arguments


def _node(spec: OpSpec) -> Any:
    """The autograd function of an operator. Its first argument computes the operator below autograd."""
    formula, reader, axes = formula_of(spec, OPS), reader_of(spec), len(spec.axes)
    finds = any(result.holds in ("indices", "mask") for result in spec.results)

    def forward(ctx: Any, compute: Kernel, modes: dict[str, Any], *arguments: Any) -> Any:
        result = compute(*arguments, **modes)
        indices, ctx.gradient = formula(arguments, modes, result)
        if indices is not None:
            ctx.save_for_backward(indices)
        if finds:
            ctx.mark_non_differentiable(indices)
            ctx.set_materialize_grads(False)  # or zeros would be made for the gradient of the indices
        if forward_ad._current_level >= 0:
            ctx.call = modes, arguments, indices, result
        return result

    def backward(ctx: Any, grad: Tensor | None, *_: Any) -> Any:
        return None, None, None if grad is None else ctx.gradient(grad, *ctx.saved_tensors), *_NO_GRADIENTS

    def jvp(ctx: Any, _: None, __: None, tangent: Tensor | None, *___: Any) -> Any:
        modes, arguments, indices, result = ctx.call
        if tangent is None:
            return None
        if finds:
            return gather(tangent, reader(arguments)(indices, result[0].shape), axes), None
        return OPS[spec.name](tangent, *arguments[1:], **modes)

    functions = {function.__name__: staticmethod(function) for function in (forward, backward, jvp)}
    return type("".join(word.capitalize() for word in spec.name.split("_")), (torch.autograd.Function,), functions)


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

    def __init__(self, spec: OpSpec) -> None:
        self._kernel, self._tensors = KERNELS[spec.name], tensors_of(spec)
        self._dispatched = getattr(torch.ops.acltwin, spec.name).default
        # Not Function.apply, which serves functions that know nothing of the dispatcher: the dispatcher has dealt with
        # the transforms around the level that is differentiated here.
        composition = composed(spec, OPS)
        node = None if composition else super(torch.autograd.Function, _node(spec)).apply  # type: ignore[misc]
        self._record = node or (lambda _compute, _modes, *arguments: composition(*arguments))  # type: ignore[misc]
        LIBRARY.impl(spec.name, self._at_autograd, "Autograd", with_keyset=True)

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


for _name, _spec in OPERATORS.items():
    OPS[_name] = Operator(_spec)
