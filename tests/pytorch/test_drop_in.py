"""The drop-in functions give PyTorch's results for PyTorch's own samples and for random calls, or call PyTorch."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.lazy import acltwin_torch, torch
from support.lazy import functional as pytorch
from support.pytorch_samples import SAMPLES, infos

AVERAGES = tuple(name for name in SAMPLES if name.endswith(("avg_pool1d", "avg_pool2d", "avg_pool3d")))
WITH_MISTAKES = ("nn.functional.max_pool3d", "nn.functional.max_unpool3d", *AVERAGES)


def _run(function: Callable[..., Any], sample: torch.Tensor, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """All results, and the gradient of the first one if there is one."""
    tensor = sample.detach().clone(memory_format=torch.preserve_format).requires_grad_(sample.is_floating_point())
    results = function(tensor, *args, **kwargs)
    results = list(results) if isinstance(results, tuple) else [results]
    if results[0].requires_grad:
        weights = torch.randn(results[0].shape, generator=torch.Generator().manual_seed(1)).to(tensor.dtype)
        results[0].backward(weights)
        results.append(tensor.grad)
    return results


def _computed_here(result: torch.Tensor) -> bool:
    return "torch.autograd.function" in repr(result.grad_fn)


def _samples(info: Any, dtype: torch.dtype) -> Iterator[Any]:
    """Of max pooling there are hundreds, and making them takes PyTorch long: some of each kind will do."""
    return itertools.islice(info.sample_inputs("cpu", dtype), 200)


def test_pytorchs_samples_are_known_by_name() -> None:
    assert set(infos()) == set(SAMPLES)
    assert {name for name, info in infos().items() if info.error_inputs_func} == set(WITH_MISTAKES)


@pytest.mark.parametrize("sample_name", SAMPLES)
@pytest.mark.parametrize("dtype_name", ["float32", "uint8"])
def test_pytorchs_own_samples(sample_name: str, dtype_name: str) -> None:
    info, dtype = infos()[sample_name], getattr(torch, dtype_name)
    if not info.supports_dtype(dtype, "cpu"):
        pytest.skip("not a dtype of this function")
    name = info.name.removeprefix("nn.functional.")
    for sample in _samples(info, dtype):
        ours = _run(getattr(acltwin_torch, name), sample.input, sample.args, sample.kwargs)
        theirs = _run(getattr(pytorch, name), sample.input, sample.args, sample.kwargs)
        torch.testing.assert_close(ours, theirs)
        assert [result.stride() for result in ours[:-1]] == [result.stride() for result in theirs[:-1]]


@pytest.mark.parametrize("sample_name", WITH_MISTAKES)
def test_pytorchs_own_mistakes(sample_name: str) -> None:
    info = infos()[sample_name]
    name = info.name.removeprefix("nn.functional.")
    for mistake in info.error_inputs("cpu"):
        sample = mistake.sample_input
        with pytest.raises(mistake.error_type, match=mistake.error_regex):
            getattr(acltwin_torch, name)(sample.input, *sample.args, **sample.kwargs)


SUMMED = [name for name in SAMPLES if not name.endswith("area") and not name.startswith("nn.functional.max_unpool")]


@pytest.mark.parametrize("dtype_name", ["float16", "bfloat16"])
@pytest.mark.parametrize("sample_name", SUMMED)
def test_half_precision_is_rounded_once(sample_name: str, dtype_name: str) -> None:
    """PyTorch sums gradients in half precision and is further off, so it is asked in double precision."""
    info, dtype = infos()[sample_name], getattr(torch, dtype_name)
    name = info.name.removeprefix("nn.functional.")
    for sample in _samples(info, dtype):
        if sample.input.dim() == 3 or not sample.input.numel():
            continue  # PyTorch's
        ours = _run(getattr(acltwin_torch, name), sample.input, sample.args, sample.kwargs)
        exact = _run(getattr(pytorch, name), sample.input.double(), sample.args, sample.kwargs)
        weights_were_rounded = {"rtol": torch.finfo(dtype).eps * 4, "atol": torch.finfo(dtype).eps * 16}
        torch.testing.assert_close(
            [result.double() if result.is_floating_point() else result for result in ours],
            exact,
            **weights_were_rounded,  # type: ignore[arg-type]
        )


@given(
    mode=st.sampled_from(["nearest", "nearest-exact"]),
    sizes=st.lists(st.integers(1, 40), min_size=2, max_size=3),
    factors=st.lists(st.floats(0.1, 5) | st.floats(1, 1.1) | st.floats(2, 2.1), min_size=3, max_size=3),
    recompute=st.sampled_from([None, False, True]),
    channels=st.integers(1, 5),
    channels_last=st.booleans(),
)
# PyTorch ignores these factors:
@example("nearest", [1, 2], [1.0, 1.25, 1.0], None, 2, False)
@example("nearest", [2, 32], [1.25, 4.0, 1.0], None, 4, True)
@example("nearest", [2, 3, 5], [1.0, 1.0, 2.15], None, 4, True)
# but not these:
@example("nearest", [2, 32], [1.25, 4.0, 1.0], None, 4, False)
@example("nearest", [2, 32], [1.25, 4.0, 1.0], None, 3, True)
@example("nearest", [2, 3, 5], [1.0, 1.0, 2.15], None, 4, False)
@example("nearest", [2, 3, 5], [1.0, 1.0, 2.15], None, 3, True)
def test_any_factor_gives_pytorchs_sizes_and_cells(
    mode: str, sizes: list[int], factors: list[float], recompute: bool | None, channels: int, channels_last: bool
) -> None:
    tensor = torch.randn(1, channels, *sizes)
    if channels_last:
        formats = {2: torch.channels_last, 3: torch.channels_last_3d}
        tensor = tensor.contiguous(memory_format=formats[len(sizes)])
    options = {"scale_factor": factors[: len(sizes)], "mode": mode, "recompute_scale_factor": recompute}
    try:
        expected = pytorch.interpolate(tensor, **options)  # type: ignore[arg-type]
    except RuntimeError as error:  # a size of 0
        with pytest.raises(RuntimeError, match=re.escape(str(error)[:30])):
            acltwin_torch.interpolate(tensor, **options)
        return
    assert torch.equal(acltwin_torch.interpolate(tensor, **options), expected)


def _elsewhere() -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """Calls that PyTorch computes and this library does not."""
    volume, image = torch.randn(1, 2, 4, 4, 4), torch.randn(1, 2, 4, 4)
    yield "interpolate", (volume,), {"scale_factor": 2, "mode": "trilinear", "align_corners": True}
    yield "interpolate", (image,), {"scale_factor": 0.5, "mode": "bilinear", "antialias": True}
    yield "interpolate", (image,), {"size": 3, "mode": "area"}
    yield "interpolate", (image[0],), {"size": 3}
    yield "interpolate", (volume[:0],), {"scale_factor": 2}
    yield "interpolate", (volume.to("meta"),), {"scale_factor": 2}
    yield "max_pool3d", (volume[:0], 2), {}
    yield "max_pool3d", (volume.to("meta"), 2), {"return_indices": True}
    yield "max_unpool3d", (volume[:0], volume[:0].long(), 2), {}


def test_what_is_not_computed_here_is_computed_by_pytorch() -> None:
    for name, args, kwargs in _elsewhere():
        results = getattr(acltwin_torch, name)(*args, **kwargs)
        expected = getattr(pytorch, name)(*args, **kwargs)
        torch.testing.assert_close(results, expected, msg=f"{name} {kwargs}")


def _mistakes() -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    volume = torch.randn(1, 2, 4, 4, 4)
    indices = torch.zeros(1, 2, 4, 4, 4, dtype=torch.int64)
    for rows in (volume[0, 0, 0, 0, 0], volume[0, 0, 0, 0], volume[0]):
        yield "max_pool1d", (rows, 2), {}
        yield "max_pool1d", (rows, 2), {"return_indices": True}
        yield "avg_pool1d", (rows, 2), {}
        yield "adaptive_max_pool1d", (rows, 2), {}
        yield "adaptive_avg_pool1d", (rows, 2), {}
    yield "interpolate", (volume,), {}
    yield "interpolate", (volume,), {"size": 3, "scale_factor": 2}
    yield "interpolate", (volume,), {"size": (3, 3)}
    yield "interpolate", (volume,), {"size": 2.5}
    yield "interpolate", (volume,), {"size": 0}
    yield "interpolate", (volume,), {"size": -1}
    yield "interpolate", (volume,), {"scale_factor": (2, 2)}
    yield "interpolate", (volume,), {"scale_factor": 2, "align_corners": True}
    yield "interpolate", (volume,), {"size": 8, "recompute_scale_factor": True}
    yield "interpolate", (volume,), {"scale_factor": 2, "mode": "cubic"}
    yield "interpolate", (volume,), {"scale_factor": -1.0}
    yield "max_pool3d", (volume, 0), {}
    yield "max_pool3d", (volume, 2, 0), {}
    yield "max_pool3d", (volume, 2, 2, 2), {}
    yield "max_pool3d", (volume, (2, 2)), {}
    yield "max_pool3d", (volume, 5), {}
    yield "max_pool3d", (volume[0, 0], 2), {}
    yield "max_unpool3d", (volume, indices.int()[..., :3], 2), {}
    yield "max_unpool3d", (volume, indices[..., :3], 2), {}
    yield "max_unpool3d", (volume, indices, 2), {"output_size": (20, 8, 8)}
    yield "max_unpool3d", (volume, indices, 2), {"output_size": (8, 8)}
    yield "max_unpool3d", (volume, indices, 2, 0), {}
    yield "max_unpool3d", (volume.byte(), indices, 2), {}
    yield "max_unpool3d", (volume, indices, [2]), {"output_size": (8, 8, 8)}
    yield "avg_pool3d", (volume[:, :, :1], 2), {"padding": 1}
    yield "max_pool3d", (volume[:, :0], 2), {}
    yield "max_pool3d", (volume[0, :0], 2), {}


def test_mistakes_are_answered_by_pytorch() -> None:
    for name, args, kwargs in _mistakes():
        with pytest.raises(Exception) as expected:  # noqa: PT011  whatever PyTorch raises
            getattr(pytorch, name)(*args, **kwargs)
        with pytest.raises(expected.type) as got:
            getattr(acltwin_torch, name)(*args, **kwargs)
        assert str(got.value) == str(expected.value), (name, kwargs)


def test_a_mistake_is_not_taken_for_the_call_it_resembles() -> None:
    volume = torch.randn(1, 2, 4, 4, 4)
    acltwin_torch.interpolate(volume, 2)
    with pytest.raises(TypeError):
        acltwin_torch.interpolate(volume, 2.0)  # type: ignore[arg-type]


def test_what_can_be_computed_here_is() -> None:
    volume = torch.randn(1, 2, 4, 4, 4, requires_grad=True)
    image = torch.randn(1, 2, 4, 4, requires_grad=True)
    pooled, indices = acltwin_torch.max_pool3d(volume, 2, return_indices=True)
    for result in (
        pooled,
        acltwin_torch.max_pool3d(volume, [2], ceil_mode=True),
        acltwin_torch.max_unpool3d(pooled, indices, 2),
        acltwin_torch.max_unpool3d(pooled, indices.int(), (2, 2, 2), output_size=volume.shape),
        acltwin_torch.interpolate(volume, 7),
        acltwin_torch.interpolate(volume, scale_factor=(2, 1.5, 3)),
        acltwin_torch.interpolate(image, torch.Size([3, 9])),
        acltwin_torch.interpolate(image, scale_factor=2, mode="nearest-exact"),
        acltwin_torch.interpolate(image.half(), scale_factor=2, recompute_scale_factor=True),
    ):
        assert _computed_here(result)


def test_an_index_outside_is_named() -> None:
    pooled, indices = torch.ones(1, 1, 1, 1, 2), torch.tensor([1, 16]).reshape(1, 1, 1, 1, 2)
    with pytest.raises(IndexError, match="16"):
        acltwin_torch.max_unpool3d(pooled, indices, 2)


def test_subclasses_modes_and_profilers_are_told() -> None:
    volume = torch.randn(1, 2, 4, 4, 4)
    expected = pytorch.interpolate(volume, scale_factor=2)

    class Told(torch.Tensor):
        calls: list[str] = []  # noqa: RUF012  one for all

        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            cls.calls.append(str(function))
            return super().__torch_function__(function, types, args, kwargs)

    result = acltwin_torch.interpolate(volume.as_subclass(Told), scale_factor=2)
    assert type(result) is Told
    assert "acltwin.upsample_nearest3d.default" in Told.calls
    with torch.device("cpu"):
        assert torch.equal(acltwin_torch.interpolate(volume, scale_factor=2), expected)

    class Listening(torch.overrides.TorchFunctionMode):
        calls: list[str] = []  # noqa: RUF012  one for all

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.calls.append(str(function))
            return function(*args, **(kwargs or {}))

    with Listening():
        assert torch.equal(acltwin_torch.interpolate(volume, scale_factor=2), expected)
    assert "acltwin.upsample_nearest3d.default" in Listening.calls
    with torch.profiler.profile() as profiler:
        acltwin_torch.interpolate(volume, scale_factor=2)
    assert "acltwin::upsample_nearest3d" in {event.key for event in profiler.key_averages()}
    negated = torch.complex(volume, -volume).conj().imag
    assert torch.equal(acltwin_torch.interpolate(negated, scale_factor=2), expected)
