"""Indices of channels-last tensors may have any format: their axes are in the order of the values'."""

from __future__ import annotations

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS
from support.acl_door import OpenDoor
from support.values import assert_same_bits


@pytest.mark.parametrize("format", ["ND", "NCHW", "NHWC"])
def test_of_images(open_door: OpenDoor, format: str) -> None:
    """Many channels and few cells: read in another order, indices would be taken from memory behind them."""
    door = open_door("documented", "Ascend950")
    source = np.random.default_rng(8).standard_normal((1, 2, 2, 300)).astype(np.float32)
    out, indices = acltwin.max_pool2d_with_indices(source, 2, None, 0, 1, False, data_format="NHWC")
    window = {"kernelSize": (2, 2), "stride": (2, 2), "padding": (0, 0), "dilation": (1, 1), "ceilMode": False}
    placed = door.place(source, "NHWC")
    pooled, places = door.place(np.zeros_like(out), "NHWC"), door.place(np.zeros_like(indices), format)
    arguments = {"self": placed, **window, "out": pooled, "indices": places}
    assert door.run(OPERATORS["max_pool2d_with_indices"], arguments) is None
    assert_same_bits(places.read(), indices)
    assert_same_bits(pooled.read(), out)
    gradient = door.place(np.zeros_like(source), "NHWC")
    arguments = {"gradOutput": pooled, "self": placed, "indices": places, **window, "gradInput": gradient}
    assert door.run(OPERATORS["max_pool2d_with_indices_backward"], arguments) is None
    expected = acltwin.max_pool2d_with_indices_backward(out, source, indices, 2, None, 0, 1, False, data_format="NHWC")
    assert_same_bits(gradient.read(), expected)
