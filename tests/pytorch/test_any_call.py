"""Any call of a drop-in function, and of PyTorch's own while it is replaced: PyTorch's results, gradients, strides and
mistakes, for rows, planes and volumes, whatever their layout."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.lazy import acltwin_torch, torch
from support.lazy import functional as pytorch
from support.pytorch_calls import EXACT, KINDS, Call, calls

LACKING = re.compile("not implemented for|smaller than kernel size")
"""What PyTorch's functions do not know, and the drop-in functions do."""
UNIT = {"float32": 2.0**-24, "float64": 2.0**-53, "float16": 2.0**-11, "bfloat16": 2.0**-8}


def _assert_same(ours: Any, theirs: Any, exact: bool) -> None:
    """Equal, or for weighted results and for gradients, sums of the same terms in another order."""
    if not isinstance(theirs[0], torch.Tensor):
        assert ours == theirs
        return
    assert isinstance(ours[0], torch.Tensor), ours
    for place, (mine, wanted) in enumerate(zip(ours, theirs, strict=True)):
        assert (mine.dtype, mine.shape) == (wanted.dtype, wanted.shape)
        copied = exact and (place == 0 or not mine.is_floating_point())
        close = 0.0 if copied or not mine.is_floating_point() else 16 * UNIT[str(mine.dtype).removeprefix("torch.")]
        torch.testing.assert_close(mine, wanted, rtol=close, atol=8 * close, equal_nan=True, check_stride=False)


def _turned(call: Call) -> Any:
    """Of anti-aliased images of one column PyTorch repeats the first row, but not if they lie on their side."""
    options = {name: value[::-1] if isinstance(value, tuple | list) else value for name, value in call.options.items()}
    return Call(call.name, call.tensor.mT, (), options).run(pytorch)[0].mT


def _strides(results: Any) -> Any:
    return [result.stride() for result in results if isinstance(result, torch.Tensor)]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_any_call_is_answered_as_by_pytorch(kind: str, data: st.DataObject) -> None:
    call: Call = data.draw(calls(kind))
    if call.tensor.dtype == torch.uint8 and kind == "weighted":
        # Of a column whose columns lie apart PyTorch reads other bytes, which vary from call to call.
        call = replace(call, tensor=call.tensor.clone(memory_format=torch.contiguous_format))
    ours = call.outcome(acltwin_torch)
    if ours[0] is ValueError and "window_cells" in ours[1]:  # PyTorch's gradient would write outside of the tensor
        with acltwin_torch.replaced():
            assert call.outcome(pytorch)[0] is ValueError
        return
    theirs = call.outcome(pytorch)
    strides = _strides(theirs)
    with acltwin_torch.replaced():
        replaced = call.outcome(pytorch)
    _assert_same(replaced, theirs, kind in EXACT)
    assert _strides(replaced) == strides
    if theirs[0] is NotImplementedError or (theirs[0] is RuntimeError and LACKING.search(theirs[1])):
        return
    image = theirs[0]
    antialias = isinstance(image, torch.Tensor) and call.options.get("antialias")
    if antialias and image.shape[-1:] == (1,) and image.is_floating_point():  # bytes are PyTorch's to resize
        theirs = (_turned(call), *theirs[1:])
    _assert_same(ours, theirs, kind in EXACT)
    indices = any(not result.is_floating_point() for result in theirs[1:] if isinstance(result, torch.Tensor))
    assert _strides(ours)[: 1 + indices] == strides[: 1 + indices]  # autograd adds gradients up, whatever their strides
