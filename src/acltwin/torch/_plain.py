"""Whether a call needs PyTorch's dispatcher at all.

The way through the dispatcher into a Python kernel costs more than a small operator itself. It is needed for tracing,
transforms, subclasses and modes; an ordinary tensor in an ordinary program can do without.
"""

from __future__ import annotations

import torch
from torch import _C

_KEY, _SET = _C.DispatchKey, _C.DispatchKeySet


def _keys(*keys: _C.DispatchKey) -> _C.DispatchKeySet:
    result = _SET(keys[0])
    for key in keys[1:]:
        result = result | _SET(key)
    return result


_CPU = (_KEY.CPU, _KEY.AutocastCPU)
_RECORDED = (_KEY.ADInplaceOrView, _KEY.AutogradCPU)

# What an ordinary CPU tensor asks of the dispatcher, outside and inside of inference mode.
_TENSOR_KEYS = frozenset({_keys(*_CPU, *_RECORDED).raw_repr(), _keys(*_CPU).raw_repr()})
# What a thread without modes, transforms and tracing asks of it, outside and inside of inference mode.
_THREAD_KEYS = frozenset(
    {_keys(_KEY.BackendSelect, _KEY.ADInplaceOrView).raw_repr(), _keys(_KEY.BackendSelect).raw_repr()}
)
# What is left of them when an autograd kernel is reached: it could call the CPU kernel itself.
BELOW_AUTOGRAD = _keys(_KEY.CPU, _KEY.AutogradCPU).raw_repr()
_TYPES = (torch.Tensor, torch.nn.Parameter)


def is_plain(tensors: tuple[torch.Tensor, ...]) -> bool:
    """Whether nobody but autograd wants to know of an operator on these tensors."""
    if torch.compiler.is_compiling() or _C._dispatch_tls_local_include_set().raw_repr() not in _THREAD_KEYS:
        return False
    for tensor in tensors:
        if type(tensor) not in _TYPES or _C._dispatch_keys(tensor).raw_repr() not in _TENSOR_KEYS:
            return False
    return not _C._is_torch_function_mode_enabled() and not _C._autograd._profiler_enabled()
