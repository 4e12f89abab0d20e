"""Layers are PyTorch's, computed by this library: the same results and gradients, state, text and pickles."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from support.lazy import acltwin_torch as twin
from support.lazy import torch

_WINDOW = {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}
_SIZES = (8, 9, 7)
LAYERS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("Upsample", {"scale_factor": 2.5, "mode": "nearest-exact"}, (2, 3, 4, 5, 6)),
    ("Upsample", {"size": (5, 3), "mode": "bicubic", "align_corners": True}, (2, 3, 4, 5)),
    *(
        (f"{kind}{axes}d", options, (2, 3, *_SIZES[:axes]))
        for axes in (1, 2, 3)
        for kind, options in (
            ("MaxPool", {**_WINDOW, "dilation": 2}),
            ("AvgPool", {**_WINDOW, "count_include_pad": False}),
            ("AdaptiveAvgPool", {"output_size": 4}),
            ("AdaptiveMaxPool", {"output_size": 4}),
        )
    ),
]


def results(layer: Any, shape: tuple[int, ...], *others: Any) -> list[Any]:
    generator = torch.Generator().manual_seed(4)
    x = torch.randn(shape, generator=generator, requires_grad=True)
    y = layer(x, *others)
    y.backward(torch.randn(y.shape, generator=generator))
    return [y.detach(), x.grad]


@pytest.mark.parametrize(("name", "options", "shape"), LAYERS)
def test_a_layer_computes_what_pytorch_s_does(name: str, options: dict[str, Any], shape: tuple[int, ...]) -> None:
    ours, theirs = getattr(twin, name)(**options), getattr(torch.nn, name)(**options)
    for actual, expected in zip(results(ours, shape), results(theirs, shape), strict=True):
        torch.testing.assert_close(actual, expected)
    assert repr(ours) == repr(theirs)
    assert results(pickle.loads(pickle.dumps(ours)), shape)[0].equal(results(ours, shape)[0])


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_unpooling_undoes_pooling(axes: int) -> None:
    x = torch.randn(2, 3, *(8, 6, 4)[:axes])
    pooled, indices = getattr(twin, f"MaxPool{axes}d")(2, return_indices=True)(x)
    ours, theirs = (getattr(module, f"MaxUnpool{axes}d")(2) for module in (twin, torch.nn))
    assert ours(pooled, indices, x.shape).equal(theirs(pooled, indices, list(x.shape)))
    assert ours(pooled, indices).equal(theirs(pooled, indices))
    assert repr(ours) == repr(theirs)


def test_compilers_follow_a_layer() -> None:
    layers = torch.nn.Sequential(twin.MaxPool2d(2), twin.AvgPool2d(2), twin.AdaptiveAvgPool2d(2), twin.Upsample(5))
    compiled, x = torch.compile(layers, fullgraph=True, backend="aot_eager"), torch.randn(1, 2, 8, 8)
    assert compiled(x).equal(layers(x))
    torch._dynamo.reset()


def test_this_library_computes_it() -> None:
    calls = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(str(function))
            return function(*args, **(kwargs or {}))

    with Watch():
        twin.MaxPool3d(2)(torch.randn(1, 1, 4, 4, 4))
    assert any("acltwin" in name for name in calls), calls
