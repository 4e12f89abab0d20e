"""Names that people type: the same algorithm under its name here, or that there is none; never another algorithm."""

from __future__ import annotations

from types import ModuleType

import pytest

import acltwin
from acltwin._names import did_you_mean
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
    "avg_pool1d": "it has no 1-D average pooling; for PyTorch tensors there is acltwin.torch.avg_pool1d",
    "adaptive_avgpool2d": "did you mean adaptive_avg_pool2d?",
    "bilinear": "bilinear upsampling is upsample_bilinear2d or upsample_bilinear2d_aa",
    "upsample_bicubic3d": "it has no 3-D bicubic upsampling; use PyTorch's",
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


def test_interpolate_has_a_name_per_mode() -> None:
    text = answer(acltwin, "interpolate")
    for mode in ("nearest1d", "nearest_exact1d", "bilinear2d", "bicubic2d", "trilinear3d"):
        assert f"upsample_{mode}" in text
    assert "acltwin.torch.interpolate" in text


def test_modules_answer_for_themselves() -> None:
    assert "3-D max pooling is max_pool3d_with_argmax" in answer(acltwin_jax, "max_pool3d")
    assert "acltwin.jax has no" in answer(acltwin_jax, "something")
    assert "torch.ops.acltwin.max_unpool3d_backward" in answer(acltwin_torch, "max_unpool3d_backward")
    assert "torch.ops.acltwin.avg_pool2d_backward" in answer(acltwin_torch, "avg_pool2d_grad")
    assert "bilinear upsampling is interpolate(mode=...)" in answer(acltwin_torch, "bilinear")
    assert "did you mean MaxPool3d?" in answer(acltwin_torch, "MaxPool3D")


def test_private_names_are_python_s_business() -> None:
    assert answer(acltwin, "__wrapped__") == "module 'acltwin' has no attribute '__wrapped__'"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("avg_pool", "did you mean avg_pool2d or avg_pool3d?"),
        ("upsample_bilinear", "did you mean upsample_bilinear2d?"),
        ("max_unpool3", "did you mean max_unpool3d?"),
        ("upsample_nerest2d", "did you mean upsample_nearest2d?"),
        ("conv2d", ""),
        ("", ""),
    ],
)
def test_names_of_operators(name: str, advice: str) -> None:
    assert did_you_mean(name, OPERATORS) == advice
