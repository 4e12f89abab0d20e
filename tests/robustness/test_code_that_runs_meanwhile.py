"""Arguments may run Python code while they are read, and that code may take memory away. Nothing stale is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import _core
from support.lazy import torch
from support.values import Array, assert_same_bits

SIZES = (64, 64, 64)  # so much memory goes back to the system at once: what reads it afterwards crashes
Action = Callable[[], object]


class Number:
    """A number that does something when it is read."""

    def __init__(self, value: float, action: Action) -> None:
        self.value, self.action = value, action

    def __index__(self) -> int:
        self.action()
        return int(self.value)

    def __float__(self) -> float:
        self.action()
        return float(self.value)


class Sizes:
    """A sequence that does something when it is read."""

    def __init__(self, values: tuple[int, ...], action: Action) -> None:
        self.values, self.action = values, action

    def __len__(self) -> int:
        self.action()
        return len(self.values)

    def __getitem__(self, position: int) -> int:
        self.action()
        return self.values[position]

    def __iter__(self) -> Iterator[int]:
        self.action()
        return iter(self.values)


class Capsules:
    """An array whose methods for DLPack do something."""

    def __init__(self, array: Array, action: Action) -> None:
        self.array, self.action = array, action

    def __dlpack__(self, **options: Any) -> Any:
        self.action()
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        self.action()
        return self.array.__dlpack_device__()


class Subclass(np.ndarray):  # type: ignore[type-arg]
    """An array with properties that do something, and that say nonsense."""

    action: Action = staticmethod(lambda: None)

    def __getattribute__(self, name: str) -> Any:
        if name != "action":
            super().__getattribute__("action")()
        return super().__getattribute__(name)

    @property
    def __array_struct__(self) -> Any:  # type: ignore[override]
        raise AssertionError("the memory of an array is asked of NumPy alone")


def torch_subclass() -> Any:
    """A class of its own for every test that gives it something to do."""

    class TorchSubclass(torch.Tensor):
        """A tensor with properties that do something."""

        action: Action = staticmethod(lambda: None)

        @property
        def requires_grad(self) -> bool:  # type: ignore[override]
            type(self).action()
            return False

    return TorchSubclass


def numpy_victim() -> tuple[Array, Action]:
    array = np.ones((1, 1, *SIZES), np.float32)
    return array, lambda: array.resize((1, 1, 1, 1, 1), refcheck=False)


def torch_victim() -> tuple[torch.Tensor, Action]:
    tensor = torch.ones(1, 1, *SIZES)
    return tensor, lambda: tensor.set_(torch.full((1, 1, 1, 1, 1), 7.0).untyped_storage(), 0, (1, 1, 1, 1, 1))


VICTIMS = {"numpy": numpy_victim, "torch": torch_victim}
VICTIM = pytest.mark.parametrize("victim", VICTIMS)
HALF = (32, 32, 32)


def is_seen_as_it_is_then(call: Callable[[], object]) -> None:
    """The array has become one cell, which does not fit the other arguments."""
    with pytest.raises(ValueError, match=r"\(1, 1, 1, 1, 1\)"):
        call()


@VICTIM
def test_sizes_and_scales_are_read_before_memory(victim: str) -> None:
    for argument in ("output_size", "input_size", "scale"):
        tensor, shrink = VICTIMS[victim]()
        output_size: Any = Sizes(SIZES, shrink) if argument == "output_size" else SIZES
        input_size: Any = (1, 1, Number(32, shrink), 32, 32) if argument == "input_size" else (1, 1, *HALF)
        scale: Any = Number(2.0, shrink) if argument == "scale" else 2.0
        is_seen_as_it_is_then(
            lambda tensor=tensor, sizes=(output_size, input_size), scale=scale: acltwin.upsample_nearest3d_backward(
                tensor, *sizes, 2.0, 2.0, scale
            )
        )


@VICTIM
def test_pooling_windows_are_read_before_memory(victim: str) -> None:
    tensor, shrink = VICTIMS[victim]()
    with pytest.raises(ValueError, match="kernel_size"):
        acltwin.max_pool3d_with_argmax(tensor, (2, 2, Number(2, shrink)), None, 0, 1, False)


@VICTIM
def test_methods_of_later_tensors_run_before_memory_is_looked_at(victim: str) -> None:
    tensor, shrink = VICTIMS[victim]()
    indices = Capsules(np.zeros((1, 1, *HALF), np.int64), shrink)
    like = np.zeros((1, 1, *HALF), np.float32)
    is_seen_as_it_is_then(lambda: acltwin.max_unpool3d_backward(tensor, like, indices, SIZES, 2, 0))


@VICTIM
def test_properties_of_later_tensors_run_before_memory_is_looked_at(victim: str) -> None:
    tensor, shrink = VICTIMS[victim]()
    indices = np.zeros((1, 1, *HALF), np.int64)
    kind = torch_subclass()
    like = torch.zeros(1, 1, *HALF).as_subclass(kind)
    kind.action = staticmethod(shrink)
    is_seen_as_it_is_then(lambda: acltwin.max_unpool3d_backward(tensor, like, indices, SIZES, 2, 0))


@VICTIM
def test_properties_of_array_subclasses_are_not_asked(victim: str) -> None:
    tensor, shrink = VICTIMS[victim]()
    places = np.zeros((1, 1, *HALF), np.int64).view(Subclass)
    places.action = shrink
    result = acltwin.max_unpool3d_backward(tensor, np.zeros((1, 1, *HALF), np.float32), places, SIZES, 2, 0)
    assert (np.asarray(result) == 1).all()


@VICTIM
def test_out_is_looked_at_last(victim: str) -> None:
    grad = np.ones((1, 1, 128, 64, 64), np.float32)
    out, shrink = VICTIMS[victim]()
    with pytest.raises(ValueError, match="out is"):
        acltwin.upsample_nearest3d_backward(Capsules(grad, shrink), (128, 64, 64), (1, 1, *SIZES), out=out)
    out, shrink = VICTIMS[victim]()
    values = np.ones((1, 1, *SIZES), np.float32)
    indices = np.zeros((1, 1, *SIZES), np.int32)
    pair = (out, Capsules(indices, shrink))
    with pytest.raises(ValueError, match="out is"):
        acltwin.max_pool3d_with_argmax(values, 1, 1, 0, 1, False, out=pair)


@VICTIM
def test_remembered_calls_look_again(victim: str) -> None:
    """Small enough to be remembered: the second call is not checked, but it must be another one by then."""
    small = (1, 1, 8, 8, 8)
    acltwin.upsample_nearest3d_backward(np.ones(small, np.float32), (8, 8, 8), (1, 1, 4, 4, 4))
    array = np.ones(small, np.float32) if victim == "numpy" else torch.ones(small)

    def shrink() -> None:
        if isinstance(array, torch.Tensor):
            array.set_()
        else:
            array.resize((1, 1, 1, 1, 1), refcheck=False)

    with pytest.raises(ValueError, match="grad_out"):
        acltwin.upsample_nearest3d_backward(array, Sizes((8, 8, 8), shrink), (1, 1, 4, 4, 4))  # type: ignore[arg-type]


def test_memory_may_change_before_it_is_looked_at() -> None:
    array = np.zeros((1, 1, 4, 4, 4), np.float32)

    def fill() -> None:
        array[...] = 1

    result = acltwin.upsample_nearest3d_backward(array, (4, 4, 4), (1, 1, 2, 2, 2), Number(2, fill), 2, 2)
    assert_same_bits(result, np.full((1, 1, 2, 2, 2), 8, np.float32))


def test_shapes_of_inferred_calls_may_do_something() -> None:
    calls: list[int] = []
    shape: Any = Sizes((1, 1, 4, 4, 4), lambda: calls.append(1))
    sizes = ((4, 4, 4), (1, 1, 2, 2, 2), 0.0, 0.0, Number(0.0, lambda: calls.append(2)))
    inferred = _core.infer("upsample_nearest3d_backward", ("float32", shape), *sizes, "NCDHW", "device", None)
    assert inferred == [("float32", (1, 1, 2, 2, 2))]
    assert set(calls) == {1, 2}


def test_inferring_takes_no_out() -> None:
    sizes = ((4, 4, 4), (1, 1, 2, 2, 2), 0.0, 0.0, 0.0)
    with pytest.raises(TypeError, match="out is given"):
        _core.infer("upsample_nearest3d_backward", ("float32", (1, 1, 4, 4, 4)), *sizes, "NCDHW", "device", np.zeros(1))


def test_bfloat16_is_found_in_the_middle_of_looking() -> None:
    """The first array of this type makes the library import its dtype, which is Python code."""
    import ml_dtypes

    values = np.ones((1, 1, 2, 2, 2), ml_dtypes.bfloat16)
    indices = np.arange(8).reshape(values.shape)
    assert_same_bits(acltwin.max_unpool3d(values, indices, (2, 2, 2), 1, 0), values)
