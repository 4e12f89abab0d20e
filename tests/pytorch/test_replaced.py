"""PyTorch's own functions, computed by this library for a while, and nothing left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import pytest

from support.lazy import Lazy, acltwin_torch, torch
from support.lazy import functional as pytorch

if TYPE_CHECKING:
    from torch import Tensor

    from acltwin.torch import Report

_aten, _replace = Lazy("acltwin.torch._aten"), Lazy("acltwin.torch._replace")


@cache
def volume() -> Tensor:
    return torch.randn(2, 3, 4, 6, 8, generator=torch.Generator().manual_seed(1))


def image() -> Tensor:
    return volume()[:, :, 0]


def _there_and_back(x: Tensor) -> Tensor:
    pooled, indices = pytorch.max_pool3d(x, 2, return_indices=True)
    return pytorch.max_unpool3d(pooled, indices, 2)


CALLS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[], Tensor]]] = {
    "nearest 2d": (lambda x: pytorch.interpolate(x, size=(9, 5)), image),
    "nearest 3d": (lambda x: pytorch.interpolate(x, scale_factor=(2, 1.5, 0.7)), volume),
    "exact 2d": (lambda x: pytorch.interpolate(x, scale_factor=1.7, mode="nearest-exact"), image),
    "exact 3d": (lambda x: pytorch.interpolate(x, size=(9, 5, 8), mode="nearest-exact"), volume),
    "pool": (lambda x: pytorch.max_pool3d(x, 3, 2, 1, ceil_mode=True), volume),
    "pool of one sample": (lambda x: pytorch.max_pool3d(x, (1, 2, 3), dilation=(2, 1, 2)), lambda: volume()[0]),
    "pool and unpool": (_there_and_back, volume),
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
    function, tensor = CALLS[name]
    if name == "pool of one sample" and layout.endswith("channels last"):
        pytest.skip("PyTorch refuses it")
    x = LAYOUTS[layout](tensor())
    expected = _both_ways(function, x)
    with acltwin_torch.replaced():
        got = _both_ways(function, x)
    assert sum(_taken(counter).values()) >= 2
    torch.testing.assert_close(got, expected)
    assert [tensor.stride() for tensor in got] == [tensor.stride() for tensor in expected]


def test_the_short_way_is_for_tensors_that_pytorch_reads_in_one_way() -> None:
    """Contiguous floats without an axis of one cell, and indices of int64; anything else is examined first."""
    upsample, unpool = (_aten.COUNTERPARTS[name].compute_usual for name in ("upsample_nearest3d", "max_unpool3d"))
    sizes = (8, 12, 16)
    for layout, lay_out in LAYOUTS.items():
        assert isinstance(upsample(lay_out(volume()), sizes), torch.Tensor) == (layout == "contiguous")
    assert isinstance(upsample(volume()[:1].requires_grad_(), sizes), torch.Tensor)
    for axis in range(1, 5):
        assert upsample(volume().narrow(axis, 0, 1).contiguous(), sizes) is NotImplemented
    assert upsample(volume()[:0], sizes) is NotImplemented
    assert upsample(volume()[0, 0], sizes) is NotImplemented
    assert upsample(volume().byte(), sizes) is NotImplemented
    values, indices = pytorch.max_pool3d(volume(), (1, 2, 2), return_indices=True)
    assert torch.equal(unpool(values, indices, volume().shape[2:]), pytorch.max_unpool3d(values, indices, (1, 2, 2)))
    assert unpool(values, indices.int(), volume().shape[2:]) is NotImplemented
    assert unpool(values.int(), indices, volume().shape[2:]) is NotImplemented


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_other_floats_are_computed_here_too(dtype: str, counter: Report) -> None:
    for function, tensor in CALLS.values():
        x = tensor().to(getattr(torch, dtype))
        with acltwin_torch.replaced():
            result = function(x)
        torch.testing.assert_close(result, function(x))
    assert sum(_taken(counter).values()) == len(CALLS) + 1  # pooling and unpooling are two


def test_bytes_are_upsampled_here_as_well(counter: Report) -> None:
    with acltwin_torch.replaced():
        assert pytorch.interpolate(torch.ones(1, 1, 2, 2, 2, dtype=torch.uint8), scale_factor=2).sum() == 64
    assert _taken(counter) == {"upsample_nearest3d": 1}


def test_what_is_not_taken_is_computed_by_pytorch(counter: Report) -> None:
    with acltwin_torch.replaced():
        assert pytorch.fractional_max_pool2d(image(), 2, output_size=(2, 3)).shape == (2, 3, 2, 3)
        assert pytorch.max_pool3d(volume().int(), 2).dtype == torch.int32
        with pytest.raises(RuntimeError, match="pad should be"):
            pytorch.max_pool3d(volume(), 2, 2, 2)
    assert _taken(counter) == {}


def test_blocks_nest_and_survive_exceptions(counter: Report) -> None:
    with acltwin_torch.replaced():
        with pytest.raises(KeyError), acltwin_torch.replaced():
            raise KeyError
        pytorch.max_pool3d(volume(), 2)
        assert _taken(counter) == {"max_pool3d_with_indices": 1}
    pytorch.max_pool3d(volume(), 2)
    assert _taken(counter) == {"max_pool3d_with_indices": 1}


def test_a_switch_for_the_whole_program(counter: Report) -> None:
    acltwin_torch.replace()
    acltwin_torch.replace()
    with acltwin_torch.replaced():
        acltwin_torch.restore()
        pytorch.max_pool3d(volume(), 2)
    pytorch.max_pool3d(volume(), 2)
    acltwin_torch.restore()
    assert _taken(counter) == {"max_pool3d_with_indices": 1}


def test_a_gradient_may_be_taken_inside_outside_and_elsewhere(counter: Report) -> None:
    x = volume().clone().requires_grad_()
    with acltwin_torch.replaced():
        result = pytorch.interpolate(x, scale_factor=2)
    result.sum().backward()
    assert _taken(counter) == {"upsample_nearest3d": 1}
    result = pytorch.interpolate(x, scale_factor=2)
    with acltwin_torch.replaced():
        thread = threading.Thread(target=result.sum().backward)
        thread.start()
        thread.join()
    assert _taken(counter) == {"upsample_nearest3d": 1, "upsample_nearest3d_backward": 1}
    assert torch.equal(x.grad, torch.full_like(x, 16.0))  # type: ignore[arg-type]


def test_blocks_of_many_threads_overlap(counter: Report) -> None:
    inside, leave = threading.Barrier(5), threading.Event()

    def work() -> None:
        with acltwin_torch.replaced():
            inside.wait()
            leave.wait()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    inside.wait()
    with acltwin_torch.replaced():
        pass
    pytorch.max_pool3d(volume(), 2)
    assert _taken(counter) == {"max_pool3d_with_indices": 1}
    leave.set()
    for thread in threads:
        thread.join()


def test_it_decorates_functions(counter: Report) -> None:
    @acltwin_torch.replaced()
    def pool(x: Tensor) -> Tensor:
        return pytorch.max_pool3d(x, 2)

    pool(volume())
    pool(volume())
    assert _taken(counter) == {"max_pool3d_with_indices": 2}


@pytest.mark.parametrize("name", CALLS)
def test_compiled_functions_stay_right(name: str, counter: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "pytorch", torch.nn.functional)  # the compiler does not see through ours
    function, tensor = CALLS[name]
    x = tensor()
    expected = function(x)
    with acltwin_torch.replaced():
        compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
        torch.testing.assert_close(compiled(x), expected)
    torch.testing.assert_close(compiled(x), expected)
    torch._dynamo.reset()
