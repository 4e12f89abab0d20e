"""PyTorch's own functions, computed by this library for a while, and nothing left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as pytorch
from torch import Tensor

import acltwin.torch
from acltwin.torch import Report, _replace
from acltwin.torch._aten import COUNTERPARTS

VOLUME = torch.randn(2, 3, 4, 6, 8, generator=torch.Generator().manual_seed(1))
IMAGE = VOLUME[:, :, 0]


def _there_and_back(x: Tensor) -> Tensor:
    pooled, indices = pytorch.max_pool3d(x, 2, return_indices=True)
    return pytorch.max_unpool3d(pooled, indices, 2)


CALLS: dict[str, tuple[Callable[[Tensor], Tensor], Tensor]] = {
    "nearest 2d": (lambda x: pytorch.interpolate(x, size=(9, 5)), IMAGE),
    "nearest 3d": (lambda x: pytorch.interpolate(x, scale_factor=(2, 1.5, 0.7)), VOLUME),
    "exact 2d": (lambda x: pytorch.interpolate(x, scale_factor=1.7, mode="nearest-exact"), IMAGE),
    "exact 3d": (lambda x: pytorch.interpolate(x, size=(9, 5, 8), mode="nearest-exact"), VOLUME),
    "pool": (lambda x: pytorch.max_pool3d(x, 3, 2, 1, ceil_mode=True), VOLUME),
    "pool of one sample": (lambda x: pytorch.max_pool3d(x, (1, 2, 3), dilation=(2, 1, 2)), VOLUME[0]),
    "pool and unpool": (_there_and_back, VOLUME),
}
LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "contiguous": lambda x: x,
    "channels last": lambda x: x.movedim(1, -1).contiguous().movedim(-1, 1),
    "transposed": lambda x: x.mT.contiguous().mT,
    "sliced": lambda x: x.repeat_interleave(2, 1)[:, ::2],
    "sliced channels last": lambda x: x.movedim(1, -1).repeat_interleave(2, -1).movedim(-1, 1)[:, ::2],
}


@pytest.fixture
def counter() -> Iterator[Report]:
    """Counts the calls of a whole test, inside and outside of blocks."""
    with _replace.watched() as report:
        yield report
    assert _replace._SWITCH.audience == ((), False)


def _taken(report: Report) -> dict[str, int]:
    """How many calls of each operator were computed by this library."""
    return {name: calls.taken for name, calls in report.operators.items() if calls.taken}


def _both_ways(function: Callable[[Tensor], Tensor], x: Tensor) -> list[Tensor]:
    """The result, its gradient, and a gradient of that."""
    x = x.detach().requires_grad_()
    result = function(x)
    (gradient,) = torch.autograd.grad((result**2).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad((gradient**2).sum(), x)
    return [result.detach(), gradient.detach(), second]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CALLS)
def test_results_gradients_and_layouts_are_pytorchs(name: str, layout: str, counter: Report) -> None:
    function, x = CALLS[name]
    if name == "pool of one sample" and layout.endswith("channels last"):
        pytest.skip("PyTorch refuses it")
    x = LAYOUTS[layout](x)
    expected = _both_ways(function, x)
    with acltwin.torch.replaced():
        got = _both_ways(function, x)
    assert sum(_taken(counter).values()) >= 2
    torch.testing.assert_close(got, expected)
    assert [tensor.stride() for tensor in got] == [tensor.stride() for tensor in expected]


def test_the_short_way_is_for_tensors_that_pytorch_reads_in_one_way() -> None:
    """Contiguous floats without an axis of one cell, and indices of int64; anything else is examined first."""
    upsample, unpool = (COUNTERPARTS[name].compute_usual for name in ("upsample_nearest3d", "max_unpool3d"))
    sizes = (8, 12, 16)
    for layout, lay_out in LAYOUTS.items():
        assert isinstance(upsample(lay_out(VOLUME), sizes), Tensor) == (layout == "contiguous")
    assert isinstance(upsample(VOLUME[:1].requires_grad_(), sizes), Tensor)
    for axis in range(1, 5):
        assert upsample(VOLUME.narrow(axis, 0, 1).contiguous(), sizes) is NotImplemented
    assert upsample(VOLUME[:0], sizes) is NotImplemented
    assert upsample(VOLUME[0, 0], sizes) is NotImplemented
    assert upsample(VOLUME.byte(), sizes) is NotImplemented
    values, indices = pytorch.max_pool3d(VOLUME, (1, 2, 2), return_indices=True)
    assert torch.equal(unpool(values, indices, VOLUME.shape[2:]), pytorch.max_unpool3d(values, indices, (1, 2, 2)))
    assert unpool(values, indices.int(), VOLUME.shape[2:]) is NotImplemented
    assert unpool(values.int(), indices, VOLUME.shape[2:]) is NotImplemented


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_other_floats_are_computed_here_too(dtype: torch.dtype, counter: Report) -> None:
    for function, x in CALLS.values():
        with acltwin.torch.replaced():
            result = function(x.to(dtype))
        torch.testing.assert_close(result, function(x.to(dtype)))
    assert sum(_taken(counter).values()) == len(CALLS) + 1  # pooling and unpooling are two


def test_what_is_not_taken_is_computed_by_pytorch(counter: Report) -> None:
    with acltwin.torch.replaced():
        assert pytorch.interpolate(torch.ones(1, 1, 2, 2, 2, dtype=torch.uint8), scale_factor=2).sum() == 64
        assert pytorch.interpolate(IMAGE, scale_factor=2, mode="bilinear").shape == (2, 3, 12, 16)
        assert pytorch.max_pool3d(VOLUME.int(), 2).dtype == torch.int32
        with pytest.raises(RuntimeError, match="pad should be"):
            pytorch.max_pool3d(VOLUME, 2, 2, 2)
    assert _taken(counter) == {}


def test_blocks_nest_and_survive_exceptions(counter: Report) -> None:
    with acltwin.torch.replaced():
        with pytest.raises(KeyError), acltwin.torch.replaced():
            raise KeyError
        pytorch.max_pool3d(VOLUME, 2)
        assert _taken(counter) == {"max_pool3d_with_indices": 1}
    pytorch.max_pool3d(VOLUME, 2)
    assert _taken(counter) == {"max_pool3d_with_indices": 1}


def test_a_switch_for_the_whole_program(counter: Report) -> None:
    acltwin.torch.replace()
    acltwin.torch.replace()
    with acltwin.torch.replaced():
        acltwin.torch.restore()
        pytorch.max_pool3d(VOLUME, 2)
    pytorch.max_pool3d(VOLUME, 2)
    acltwin.torch.restore()
    assert _taken(counter) == {"max_pool3d_with_indices": 1}


def test_a_gradient_may_be_taken_inside_outside_and_elsewhere(counter: Report) -> None:
    x = VOLUME.clone().requires_grad_()
    with acltwin.torch.replaced():
        result = pytorch.interpolate(x, scale_factor=2)
    result.sum().backward()
    assert _taken(counter) == {"upsample_nearest3d": 1}
    result = pytorch.interpolate(x, scale_factor=2)
    with acltwin.torch.replaced():
        thread = threading.Thread(target=result.sum().backward)
        thread.start()
        thread.join()
    assert _taken(counter) == {"upsample_nearest3d": 1, "upsample_nearest3d_backward": 1}
    assert torch.equal(x.grad, torch.full_like(x, 16.0))  # type: ignore[arg-type]


def test_blocks_of_many_threads_overlap(counter: Report) -> None:
    inside, leave = threading.Barrier(5), threading.Event()

    def work() -> None:
        with acltwin.torch.replaced():
            inside.wait()
            leave.wait()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    inside.wait()
    with acltwin.torch.replaced():
        pass
    pytorch.max_pool3d(VOLUME, 2)
    assert _taken(counter) == {"max_pool3d_with_indices": 1}
    leave.set()
    for thread in threads:
        thread.join()


def test_it_decorates_functions(counter: Report) -> None:
    @acltwin.torch.replaced()
    def pool(x: Tensor) -> Tensor:
        return pytorch.max_pool3d(x, 2)

    pool(VOLUME)
    pool(VOLUME)
    assert _taken(counter) == {"max_pool3d_with_indices": 2}


@pytest.mark.parametrize("name", CALLS)
def test_compiled_functions_stay_right(name: str, counter: Report) -> None:
    function, x = CALLS[name]
    expected = function(x)
    with acltwin.torch.replaced():
        compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
        torch.testing.assert_close(compiled(x), expected)
    torch.testing.assert_close(compiled(x), expected)
    torch._dynamo.reset()
