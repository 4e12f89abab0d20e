"""Writing into a tensor counts as a write, so that autograd notices what it has kept is gone."""

from __future__ import annotations

from typing import Any

import pytest

import acltwin
from support.lazy import torch
from support.torch_calls import NAMES, TorchCall, calls_of


def _write(call: TorchCall, out: tuple[torch.Tensor, ...]) -> Any:
    return getattr(acltwin, call.name)(*call.arguments, out=out if len(out) > 1 else out[0])


def _results(call: TorchCall) -> tuple[torch.Tensor, ...]:
    results = getattr(acltwin, call.name)(*call.arguments)
    results = results if isinstance(results, tuple) else (results,)
    return tuple(torch.zeros(result.shape, dtype=result.dtype) for result in results)


@pytest.mark.parametrize("name", NAMES)
def test_autograd_notices_that_a_tensor_it_kept_was_written(name: str) -> None:
    for call in calls_of(name):
        out = _results(call)
        weight = torch.ones(out[0].shape, requires_grad=True)
        loss = (weight * out[0]).sum()
        _write(call, out)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
        assert [result._version for result in out] == [1] * len(out)


def test_writing_into_a_view_is_writing_into_its_base() -> None:
    call = calls_of("upsample_nearest2d")[0]
    (out,) = _results(call)
    base = torch.zeros(3, *out.shape)
    weight = torch.ones(base.shape, requires_grad=True)
    loss = (weight * base).sum()
    assert _write(call, (base[1],)).data_ptr() == base[1].data_ptr()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_what_a_refused_call_may_have_written_counts() -> None:
    indices = torch.tensor([0, 9]).reshape(1, 1, 1, 1, 2)
    out = torch.zeros(1, 1, 2, 2, 2)
    with pytest.raises(IndexError, match="9"):
        acltwin.max_unpool3d(torch.ones(1, 1, 1, 1, 2), indices, (2, 2, 2), out=out)
    assert out._version == 1


def test_a_call_that_is_refused_before_writes_nothing() -> None:
    out = torch.zeros(1, 1, 2, 2)
    with pytest.raises(ValueError, match="out"):
        acltwin.upsample_nearest2d(torch.ones(1, 1, 1, 1), (3, 3), out=out)
    assert out._version == 0


def test_tensors_without_a_counter_are_written() -> None:
    with torch.inference_mode():
        out = torch.zeros(1, 1, 2, 2)
    for mode in (True, False):
        with torch.inference_mode(mode):
            assert acltwin.upsample_nearest2d(torch.ones(1, 1, 1, 1), (2, 2), out=out).sum() == 4


def test_inputs_are_not_written() -> None:
    for name in NAMES:
        for call in calls_of(name):
            before = [value._version for value in call.arguments if isinstance(value, torch.Tensor)]
            _write(call, _results(call))
            assert [value._version for value in call.arguments if isinstance(value, torch.Tensor)] == before


def test_a_subclass_counts_as_well() -> None:
    out = torch.zeros(1, 1, 2, 2).as_subclass(type("Kept", (torch.Tensor,), {}))
    acltwin.upsample_nearest2d(torch.ones(1, 1, 1, 1), (2, 2), out=out)
    assert out._version == 1
