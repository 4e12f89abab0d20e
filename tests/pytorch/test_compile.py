"""torch.compile and torch.export see one operator where there is one, and compute what eager mode does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.lazy import torch


def new_model() -> Any:
    import torch  # as it is: the compiler looks at what a model uses

    import acltwin.torch

    class Model(torch.nn.Module):
        """Down by pooling, up by unpooling, up again by upsampling."""

        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Conv3d(1, 2, 3, padding=1)
            self.second = torch.nn.Conv3d(2, 2, 3, padding=1)

        def forward(self, x: torch.Tensor) -> Any:
            x = self.first(x)
            pooled, indices = acltwin.torch.max_pool3d(x, 2, return_indices=True)
            x = acltwin.torch.max_unpool3d(self.second(pooled), indices, 2, output_size=x.shape)
            x = acltwin.torch.max_pool3d(x, 3, stride=2, padding=1)
            return acltwin.torch.interpolate(x, scale_factor=2.0, mode="nearest-exact")

    return Model()


@pytest.fixture(autouse=True)
def _fresh_compiler() -> Iterator[None]:
    torch.manual_seed(0)
    torch._dynamo.utils.counters.clear()
    yield
    torch._dynamo.reset()


def _step(function: Any, model: torch.nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    """The result and all gradients."""
    x = x.clone().requires_grad_()
    model.zero_grad()
    result = function(x)
    (result**2).sum().backward()
    return [result, x.grad, *(parameter.grad.clone() for parameter in model.parameters())]  # type: ignore


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_a_model_compiles_as_one_graph(backend: str) -> None:
    model, x = new_model(), torch.randn(2, 1, 4, 6, 8)
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    torch.testing.assert_close(_step(compiled, model, x), _step(model, model, x))


def test_one_compilation_serves_many_sizes() -> None:
    model = new_model()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)
    for size in ((4, 6, 8), (6, 8, 12), (8, 4, 10)):
        x = torch.randn(2, 1, *size)
        torch.testing.assert_close(_step(compiled, model, x), _step(model, model, x))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


def test_channels_last_tensors_compile() -> None:
    model = new_model().to(memory_format=torch.channels_last_3d)
    x = torch.randn(2, 1, 4, 6, 8).to(memory_format=torch.channels_last_3d)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(_step(compiled, model, x), _step(model, model, x))


def test_an_exported_program_holds_the_operators() -> None:
    model, x = new_model().eval(), torch.randn(2, 1, 4, 6, 8)
    batch = torch.export.Dim("batch", min=1, max=64)
    program = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))
    called = {str(node.target) for node in program.graph.nodes if "acltwin" in str(node.target)}
    assert called == {
        "acltwin.max_pool3d_with_argmax.default",
        "acltwin.max_unpool3d.default",
        "acltwin.upsample_nearest_exact3d.default",
    }
    larger = torch.randn(5, 1, 4, 6, 8)
    torch.testing.assert_close(program.module()(larger), model(larger))


def test_an_exported_program_survives_a_file(tmp_path: Any) -> None:
    model, x = new_model().eval(), torch.randn(2, 1, 4, 6, 8)
    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(model, (x,)), path)
    torch.testing.assert_close(torch.export.load(path).module()(x), model(x))
