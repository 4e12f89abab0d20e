"""What a DLPack tensor says about itself may be nonsense: it is refused in words, and never crashes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.cases import NEAREST3D, Case, small_case
from support.dlpack_capsules import HandMade, int64s
from support.lazy import torch
from support.messages import explains
from support.values import assert_same_bits

NATIVE = Path(__file__).parents[2] / "native"
GRAD_OUT = small_case(NEAREST3D).tensors[0]

WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no shape": ({"shape": None}, ValueError, "without a shape"),
    "a billion dimensions": ({"ndim": 10**9}, ValueError, "1000000000 dimensions"),
    "nine dimensions": ({"ndim": 9}, ValueError, "9 dimensions"),
    "fewer than none": ({"ndim": -1}, ValueError, "-1 dimensions"),
    "a negative size": ({"shape": int64s(2, 3, 5, 7, -19)}, ValueError, "no negative dimension"),
    "negative sizes": ({"shape": int64s(-2, -3, -5, -7, -19), "strides": None}, ValueError, "no negative dimension"),
    "more than there can be": ({"shape": int64s(2**31, 2**31, 5, 7, 19)}, ValueError, "2^63 bytes"),
    "a stride beyond 64 bits": ({"strides": int64s(2**62, 1, 1, 1, 1)}, ValueError, "stride"),
    "strides beyond the memory": ({"strides": int64s(2**60, 2**60, 2**60, 1, 1)}, ValueError, "address space"),
    "strides before the memory": ({"strides": int64s(-(2**60), 1, 1, 1, 1)}, ValueError, "address space"),
    "an offset beyond the memory": ({"byte_offset": 2**64 - 4}, ValueError, "address space"),
    "no memory": ({"data": None}, TypeError, "no memory"),
    "no memory and an offset": ({"data": None, "byte_offset": 64}, TypeError, "no memory"),
    "vectors as elements": ({"lanes": 4}, TypeError, "dtype"),
    "no lanes": ({"lanes": 0}, TypeError, "dtype"),
    "an odd number of bits": ({"bits": 33}, TypeError, "dtype"),
    "no bits": ({"bits": 0}, TypeError, "dtype"),
    "an unknown kind of number": ({"code": 200}, TypeError, "dtype"),
    "another device": ({"device_type": 2}, TypeError, "CPU"),
}


def with_description(**fields: Any) -> Case:
    return small_case(NEAREST3D).with_tensor(0, HandMade(GRAD_OUT, **fields))


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_description_is_refused(name: str) -> None:
    fields, error, words = WRONG[name]
    with explains(error, NEAREST3D, "grad_out", words):
        with_description(**fields).run()


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_description_of_out_is_refused(name: str) -> None:
    fields, error, _ = WRONG[name]
    case = small_case(NEAREST3D)
    with pytest.raises(error, match=NEAREST3D):
        case.run(out=HandMade(np.zeros(case.result_shape, np.float32), **fields))


def test_an_unusual_description_is_understood() -> None:
    expected = small_case(NEAREST3D).run()
    assert_same_bits(with_description().run(), expected)
    assert_same_bits(with_description(strides=None).run(), expected)
    assert_same_bits(with_description(data=GRAD_OUT.ctypes.data - 4096, byte_offset=4096).run(), expected)


@pytest.mark.parametrize("device", [None, 1, [1, 0], (1,), (1, 0, 0), ("cpu", 0), (2**40, 0)])
def test_a_device_that_is_none_is_refused(device: Any) -> None:
    class Odd(HandMade):
        def __dlpack_device__(self) -> Any:
            return device

    with explains(TypeError, NEAREST3D, "grad_out", "__dlpack_device__", repr(device)):
        small_case(NEAREST3D).with_tensor(0, Odd(GRAD_OUT)).run()


def test_a_capsule_is_taken_only_once() -> None:
    class Stingy(HandMade):
        def __dlpack__(self, **options: Any) -> Any:
            self.capsule = getattr(self, "capsule", None) or super().__dlpack__(**options)
            return self.capsule

    case = small_case(NEAREST3D).with_tensor(0, Stingy(GRAD_OUT))
    assert_same_bits(case.run(), small_case(NEAREST3D).run())
    with explains(TypeError, NEAREST3D, "grad_out", "DLPack"):
        case.run()


def test_declared_layout_is_that_of_pytorch() -> None:
    """native/python/dlpack.h declares what it uses of DLPack; PyTorch's copy of the standard's header is the judge."""
    header = Path(torch.version.__file__).parent / "include" / "ATen" / "dlpack.h"
    if not header.exists():
        pytest.skip("this PyTorch comes without its headers")
    source = Path(__file__).with_name("dlpack_layout.cpp")
    command = ["c++", "-std=c++17", "-fsyntax-only", f"-I{NATIVE}", f"-I{header.parents[1]}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
