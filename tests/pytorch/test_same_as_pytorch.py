"""What PyTorch computes, lays out and refuses, it computes, lays out and refuses the same way while it is replaced."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.lazy import Lazy, acltwin_torch, torch
from support.lazy import functional as pytorch
from support.pytorch_outcomes import LAYOUTS, arranged, numbers, outcome
from support.pytorch_samples import EXACT, SAMPLES, infos, module_infos

layout = Lazy("acltwin.torch._layout")
prims_common = Lazy("torch._prims_common")

FLOATS = ("float32", "float64", "float16", "bfloat16")
DTYPES = (*FLOATS, "uint8", "int32", "int64", "bool")


def same(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The outcome, which must not depend on who computes it."""
    expected = outcome(function, *arguments, **options)
    with acltwin_torch.replaced():
        got = outcome(function, *arguments, **options)
    assert got == expected
    return expected


def nearly_same(function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """The same but for the last bits of float64, which another order of additions changes."""
    expected = outcome(function, *arguments, **options)
    with acltwin_torch.replaced():
        got = outcome(function, *arguments, **options)
    if not isinstance(expected, list):
        assert got == expected
        return
    for (*kind, values), (*expected_kind, expected_values) in zip(got, expected, strict=True):
        assert kind == expected_kind
        wide = [torch.tensor(each, dtype=torch.float64) for each in (values, expected_values)]
        torch.testing.assert_close(*wide, rtol=1e-12, atol=1e-12)


SIZES = st.integers(1, 4) | st.integers(0, 5)


@given(
    exact=st.booleans(),
    sizes=st.lists(SIZES, min_size=4, max_size=5),
    target=st.lists(SIZES, min_size=3, max_size=3),
    scales=st.lists(st.none() | st.sampled_from([0.5, 1.0, 1.7, 2.0, 0.0, -1.0, 1e30]), max_size=3),
    dtype=st.sampled_from(DTYPES),
    layout=LAYOUTS,
)
@example(False, [2, 1, 3, 4], [6, 8, 1], [], "float32", ([0, 2, 3, 1, 4], 0))  # one channel, channels-last
@example(True, [2, 1, 3, 4, 2], [6, 8, 4], [], "float32", ([0, 2, 3, 4, 1], 0))
@example(False, [2, 0, 3, 4], [6, 8, 1], [], "float32", ([0, 1, 2, 3, 4], 0))  # no channel
def test_any_upsampling(
    exact: bool,
    sizes: list[int],
    target: list[int],
    scales: list[float | None],
    dtype: str,
    layout: tuple[list[int], int],
) -> None:
    axes = len(sizes) - 2
    name = f"_upsample_nearest_exact{axes}d" if exact else f"upsample_nearest{axes}d"
    tensor = arranged(numbers(sizes, dtype), layout)
    same(getattr(torch.ops.aten, name), tensor, target[:axes], *scales[:axes])
    gradient = arranged(numbers([*sizes[:2], *target[:axes]], dtype), layout)
    same(getattr(torch.ops.aten, f"{name}_backward"), gradient, target[:axes], sizes, *scales[:axes])


@given(
    axes=st.lists(st.tuples(SIZES, st.integers(0, 3) | st.sampled_from([4, 6, 8, 12, 16, 24])), min_size=3, max_size=6)
)
def test_strides_are_read_as_pytorch_reads_them(axes: list[tuple[int, int]]) -> None:
    shape, strides = zip(*axes, strict=True)
    tensor = torch.empty(1000).as_strided(shape, strides)
    assert layout._looks_channels_last(tensor) == (
        prims_common.suggest_memory_format(tensor) is not torch.contiguous_format
    )


def _has_empty_window(sizes: Sequence[int], windows: Sequence[int], window: Any) -> bool:
    """Whether some window covers no cell, counted one by one."""
    kernel, stride, padding, dilation, _ = window
    for axis, size in enumerate(sizes):
        for start in range(-padding[axis], windows[axis] * stride[axis] - padding[axis], stride[axis]):
            if not any(0 <= start + step * dilation[axis] < size for step in range(kernel[axis])):
                return True
    return False


TRIPLES = [st.tuples(*[st.integers(low, high)] * 3) for low, high in ((1, 3), (1, 3), (0, 1), (1, 3))]


@given(
    sizes=st.lists(SIZES, min_size=4, max_size=5),
    window=st.tuples(*TRIPLES, st.booleans()),
    dtype=st.sampled_from(DTYPES),
    layouts=st.tuples(LAYOUTS, LAYOUTS),
)
@example([2, 0, 4, 4, 4], (*[(1, 1, 1)] * 2, (0, 0, 0), (1, 1, 1), False), "float32", [(range(5), 0)] * 2)
@example([0, 4, 4, 4], (*[(1, 1, 1)] * 2, (0, 0, 0), (1, 1, 1), False), "float32", [(range(5), 0)] * 2)
@example([2, 1, 1, 1], (*[(2, 2, 2)] * 2, (1, 1, 1), (2, 2, 2), False), "float32", [(range(5), 0)] * 2)
@example([2, 3, 4, 5], (*[(2, 2, 2)] * 2, (0, 0, 0), (1, 1, 1), False), "float32", [((0, 2, 3, 1), 0)] * 2)
def test_any_pooling(sizes: list[int], window: Any, dtype: str, layouts: Any) -> None:
    tensor = arranged(numbers(sizes, dtype), layouts[0])
    expected = outcome(torch.ops.aten.max_pool3d_with_indices, tensor, *window)
    with acltwin_torch.replaced():
        got = outcome(torch.ops.aten.max_pool3d_with_indices, tensor, *window)
    if got[0] is ValueError:  # PyTorch would give indices outside of the tensor, and write there afterwards
        assert "window_cells" in got[1]
        assert _has_empty_window(sizes[-3:], expected[0][1][-3:], window)
        return
    assert got == expected
    if isinstance(got, tuple):
        return
    assert not _has_empty_window(sizes[-3:], expected[0][1][-3:], window) or not tensor.numel() or dtype not in FLOATS
    if dtype in FLOATS:
        values, indices = torch.ops.aten.max_pool3d_with_indices(tensor, *window)
        gradient = arranged(numbers(values.shape, dtype, seed=1), layouts[1])
        same(torch.ops.aten.max_pool3d_with_indices_backward, gradient, tensor, *window, indices)
        same(torch.ops.aten.max_pool3d_with_indices_backward, gradient, tensor, *window, indices.int())


@given(
    sizes=st.lists(SIZES, min_size=4, max_size=5),
    more=st.tuples(*[st.integers(0, 2)] * 3),
    dtype=st.sampled_from(DTYPES),
    index_dtype=st.sampled_from(["int64", "int64", "int32"]),
    layouts=st.tuples(LAYOUTS, LAYOUTS),
)
@example([1, 2, 2, 2, 2], (2, 2, 2), "uint8", "int64", [(range(5), 0)] * 2)
@example([1, 2, 2, 2, 2], (2, 2, 2), "float32", "int32", [(range(5), 0)] * 2)
def test_any_unpooling(sizes: list[int], more: Sequence[int], dtype: str, index_dtype: str, layouts: Any) -> None:
    tensor = arranged(numbers(sizes, dtype), layouts[0])
    cells = torch.Size(sizes[-3:]).numel()
    indices = arranged(torch.arange(cells).expand(*sizes[:-3], cells).reshape(sizes), layouts[1])
    target = [size + extra for size, extra in zip(sizes[-3:], more, strict=True)]
    same(torch.ops.aten.max_unpool3d, tensor, indices.to(getattr(torch, index_dtype)), target, (1, 1, 1), (0, 0, 0))


def test_an_index_outside_is_found_by_pytorch() -> None:
    indices = torch.tensor([1, 8]).reshape(1, 1, 1, 1, 2)
    kind, message = same(pytorch.max_unpool3d, torch.ones(1, 1, 1, 1, 2), indices, (2, 2, 1))
    assert kind is RuntimeError
    assert "invalid max index: 8" in message


def test_an_index_outside_is_found_where_pytorch_does_not_look() -> None:
    window = ((2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1), False)
    gradient, volume = torch.ones(1, 1, 1, 1, 1), torch.ones(1, 1, 2, 2, 2)
    with acltwin_torch.replaced(), pytest.raises(IndexError, match="8"):
        torch.ops.aten.max_pool3d_with_indices_backward(gradient, volume, *window, torch.full((1, 1, 1, 1, 1), 8))


def test_an_unbatched_volume_keeps_its_channels_last() -> None:
    """PyTorch's kernel for tensors without data says otherwise."""
    volume = torch.randn(1, 6, 12, 13, 14).to(memory_format=torch.channels_last_3d).squeeze(0)
    ((_, _, stride, _), *_) = same(pytorch.max_pool3d, volume, 2)
    assert stride == (1, 252, 42, 6)


def _with_gradient(function: Callable[..., Any], tensor: Any, *arguments: Any, **options: Any) -> Any:
    """The results and the gradient of the first one, if it has any."""
    if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point():
        return function(tensor, *arguments, **options)
    tensor = tensor.detach().requires_grad_()
    results = function(tensor, *arguments, **options)
    results = results if isinstance(results, tuple) else (results,)
    (gradient,) = torch.autograd.grad(results[0].sum(), tensor)
    return (*results, gradient)


@pytest.mark.parametrize("sample_name", [name for name in SAMPLES if not name.endswith("area")])
@pytest.mark.parametrize("dtype_name", ["float64", "uint8"])
def test_samples_and_mistakes_that_pytorch_knows(sample_name: str, dtype_name: str) -> None:
    info, dtype = infos()[sample_name], getattr(torch, dtype_name)
    function = getattr(pytorch, info.name.removeprefix("nn.functional."))
    samples = itertools.islice(info.sample_inputs("cpu", dtype), 200) if info.supports_dtype(dtype, "cpu") else ()
    mistakes = [mistake.sample_input for mistake in info.error_inputs("cpu")] if info.error_inputs_func else []
    assert samples or dtype is torch.uint8
    compare = same if sample_name in EXACT or dtype is torch.uint8 else nearly_same
    for sample in (*samples, *mistakes):
        compare(lambda *a, **k: _with_gradient(function, *a, **k), sample.input, *sample.args, **sample.kwargs)


def test_samples_of_modules() -> None:
    (info,) = module_infos()
    for sample in info.module_inputs_func(info, "cpu", torch.float64, True, True):
        module = info.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
        call = sample.forward_input
        same(lambda *a, m=module, **k: _with_gradient(m, *a, **k), *call.args, **call.kwargs)


@pytest.mark.parametrize("layout", ["contiguous", "channels last", "expanded"])
@pytest.mark.parametrize("channels", [1, 2, 5])
@pytest.mark.parametrize("rank", [4, 5])
def test_modules_keep_memory_formats(rank: int, channels: int, layout: str) -> None:
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    tensor = torch.randn(2, channels, 4, 4, 4).double()[(slice(None),) * 2 + (0,) * (5 - rank)]
    if layout == "channels last":
        tensor = tensor.contiguous(memory_format=formats[rank])
    elif layout == "expanded":
        tensor = tensor[:1].expand_as(tensor)
    for mode in ("nearest", "nearest-exact"):
        same(lambda x, mode=mode: _with_gradient(torch.nn.Upsample(scale_factor=2, mode=mode), x), tensor)
    if rank == 5:
        same(lambda x: _with_gradient(torch.nn.MaxPool3d(2, return_indices=True), x), tensor)
        values, indices = torch.nn.MaxPool3d(2, return_indices=True)(tensor)
        same(lambda x: _with_gradient(torch.nn.MaxUnpool3d(2), x, indices), values)


def test_a_window_without_cells_is_refused_and_named() -> None:
    """PyTorch lets it pass, and its gradient then writes outside of the tensor."""
    volume = torch.zeros(1, 2, 1, 1, 1, requires_grad=True)
    with acltwin_torch.replaced(), pytest.raises(ValueError, match="dilation"):
        pytorch.max_pool3d(volume, 2, padding=1, dilation=2)
    with pytest.raises(ValueError, match="dilation"):
        acltwin_torch.max_pool3d(volume, 2, padding=1, dilation=2)


def test_unpooling_is_deterministic_and_may_be_called_so() -> None:
    """PyTorch refuses to unpool deterministically, because its own kernel is not; ours is."""
    pooled, indices = torch.ones(1, 1, 1, 1, 2), torch.tensor([1, 6]).reshape(1, 1, 1, 1, 2)
    torch.use_deterministic_algorithms(True)
    try:
        with pytest.raises(RuntimeError, match="deterministic"):
            pytorch.max_unpool3d(pooled, indices, 2)
        with acltwin_torch.replaced():
            assert pytorch.max_unpool3d(pooled, indices, 2).sum() == 2
        assert acltwin_torch.max_unpool3d(pooled, indices, 2).sum() == 2
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("dtype_name", ["float16", "bfloat16"])
def test_mixed_precision_asks_for_the_same_dtypes(dtype_name: str) -> None:
    dtype = getattr(torch, dtype_name)
    volume = torch.randn(1, 2, 4, 4, 4)
    for tensor in (volume, volume.to(dtype), volume.double()):
        indices = torch.arange(64).reshape(1, 1, 4, 4, 4).expand_as(tensor)
        for name, arguments, options in (
            ("max_pool3d", (2,), {}),
            ("max_pool3d", (2,), {"return_indices": True}),
            ("max_unpool3d", (indices, 2), {}),
            ("interpolate", (), {"scale_factor": 2.0}),
            ("interpolate", (), {"scale_factor": 2.0, "mode": "nearest-exact"}),
        ):
            with torch.autocast("cpu", dtype=dtype):
                expected = same(getattr(pytorch, name), tensor, *arguments, **options)
                assert outcome(getattr(acltwin_torch, name), tensor, *arguments, **options) == expected
