"""Names that people type: the same algorithm under its name here, or that there is none; never another algorithm."""

from __future__ import annotations

from types import ModuleType

import pytest

import acltwin
from acltwin.ops import OPERATORS
from support.lazy import acltwin_jax, acltwin_torch

ANSWERS = {
    "max_pool3d": "3-D max pooling is max_pool3d_with_argmax",
    "MaxPool3d": "3-D max pooling is max_pool3d_with_argmax",
    "max_pool3d_backward": "the gradient of 3-D max pooling is max_pool3d_with_argmax_backward",
    "lp_pool2d": "no 2-D power-average pooling; use PyTorch's",
    "FractionalMaxPool3d": "no 3-D fractional max pooling; use PyTorch's",
    "nearest_exact2d": "2-D nearest-exact upsampling is upsample_nearest_exact2d",
    "upsample_nearst3d": "did you mean upsample_nearest3d?",
    "upsample_nearest_exact3d_bakward": "did you mean upsample_nearest_exact3d_backward?",
    "set_num_thread": "did you mean set_num_threads?",
    "something": "dir(acltwin) lists what it has",
}


def answer(module: ModuleType, name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    return str(caught.value)


@pytest.mark.parametrize("name", ANSWERS)
def test_names_of_other_libraries_and_slips(name: str) -> None:
    assert ANSWERS[name] in answer(acltwin, name)


@pytest.mark.parametrize("word", ["trilinear3d", "bilinear2d", "bicubic2d", "linear1d", "lanczos2d", "area2d"])
def test_another_algorithm_is_never_suggested(word: str) -> None:
    name = f"upsample_{word}"
    if name not in OPERATORS:
        assert not any(other in answer(acltwin, name) for other in OPERATORS)


def test_interpolate_has_a_name_per_number_of_axes() -> None:
    text = answer(acltwin, "interpolate")
    for axes in "23":
        assert f"upsample_nearest{axes}d" in text


def test_modules_answer_for_themselves() -> None:
    assert "3-D max pooling is max_pool3d_with_argmax" in answer(acltwin_jax, "max_pool3d")
    assert "acltwin.jax has no" in answer(acltwin_jax, "something")
    assert "torch.ops.acltwin.max_unpool3d_backward" in answer(acltwin_torch, "max_unpool3d_backward")
    assert "did you mean MaxPool3d?" in answer(acltwin_torch, "MaxPool3D")


def test_private_names_are_python_s_business() -> None:
    assert answer(acltwin, "__wrapped__") == "module 'acltwin' has no attribute '__wrapped__'"
