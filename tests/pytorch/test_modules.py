"""Layers are PyTorch's, computed by this library: the same results and gradients, state, text and pickles."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from support.lazy import acltwin_torch as twin
from support.lazy import torch

LAYERS: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
    "Upsample": ({"scale_factor": 2.5, "mode": "nearest-exact"}, (2, 3, 4, 5, 6)),
    "MaxPool3d": ({"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}, (2, 3, 8, 9, 7)),
}


def results(layer: Any, shape: tuple[int, ...], *others: Any) -> list[Any]:
    generator = torch.Generator().manual_seed(4)
    x = torch.randn(shape, generator=generator, requires_grad=True)
    y = layer(x, *others)
    y.backward(torch.randn(y.shape, generator=generator))
    return [y.detach(), x.grad]


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_computes_what_pytorch_s_does(name: str) -> None:
    options, shape = LAYERS[name]
    ours, theirs = getattr(twin, name)(**options), getattr(torch.nn, name)(**options)
    for actual, expected in zip(results(ours, shape), results(theirs, shape), strict=True):
        torch.testing.assert_close(actual, expected)
    assert repr(ours) == repr(theirs)
    assert results(pickle.loads(pickle.dumps(ours)), shape)[0].equal(results(ours, shape)[0])


def test_unpooling_undoes_pooling() -> None:
    x = torch.randn(2, 3, 8, 6, 4)
    pooled, indices = twin.MaxPool3d(2, return_indices=True)(x)
    ours, theirs = twin.MaxUnpool3d(2), torch.nn.MaxUnpool3d(2)
    assert ours(pooled, indices, x.shape).equal(theirs(pooled, indices, list(x.shape)))
    assert ours(pooled, indices).equal(theirs(pooled, indices))


def test_this_library_computes_it() -> None:
    calls = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(str(function))
            return function(*args, **(kwargs or {}))

    with Watch():
        twin.MaxPool3d(2)(torch.randn(1, 1, 4, 4, 4))
    assert any("acltwin" in name for name in calls), calls
