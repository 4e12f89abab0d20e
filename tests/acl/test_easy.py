"""The layer with exceptions and ``with`` blocks."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acltwin import acl
from acltwin.acl import constants, easy

SUM = ("upsample_nearest_exact3d_backward", (2, 2, 2), (1, 1, 1, 1, 1), 0.0, 0.0, 0.0)


def queue_sum(stream: easy.Stream, grad_out: easy.Tensor, grad_input: easy.Tensor) -> None:
    name, *sizes = SUM
    stream.run(str(name), grad_out, *sizes, grad_input)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_arrays_in_arrays_out(dtype: Any) -> None:
    with easy.Device(0) as device, device.stream() as stream:
        grad_out = device.tensor(np.arange(8).reshape(1, 1, 2, 2, 2).astype(dtype).swapaxes(-1, -2), "NCDHW")
        grad_input = device.empty((1, 1, 1, 1, 1), np.dtype(dtype).name, "NCDHW")
        queue_sum(stream, grad_out, grad_input)
        stream.synchronize()
        assert grad_input.numpy().dtype == dtype
        assert float(grad_input.numpy().item()) == 28


def test_a_mistake_is_an_exception_with_code_and_message() -> None:
    with easy.Device(0) as device, device.stream() as stream:
        grad_out = device.tensor(np.ones((1, 1, 2, 2, 3), np.float32))
        grad_input = device.empty((1, 1, 1, 1, 1), "float32")
        with pytest.raises(easy.AclError, match="gradOut is") as refusal:
            queue_sum(stream, grad_out, grad_input)
        assert refusal.value.code == constants.ACLNN_ERR_PARAM_INVALID


def test_a_failing_kernel_raises_at_the_end_of_the_block() -> None:
    with easy.Device(0) as device:
        one = device.tensor(np.ones((1, 1, 1, 1, 1), np.float32))
        out = device.empty((1, 1, 1, 1, 1), "float32")
        indices = device.tensor(np.full((1, 1, 1, 1, 1), -1))
        with pytest.raises(easy.AclError, match=r"indices\[0, 0, 0, 0, 0\] is -1"), device.stream() as stream:
            stream.run("max_unpool3d_backward", one, one, indices, (1, 1, 1), (1, 1, 1), (0, 0, 0), out)


def test_workspaces_live_until_the_stream_is_waited_for() -> None:
    values = np.random.default_rng(3).standard_normal((4, 8, 16, 16, 16)).astype(np.float16)
    with easy.Device(0) as device, device.stream() as stream:
        grad_output = device.tensor(values[..., ::2, ::2, ::2])
        pooled_from = device.tensor(values)
        indices = device.tensor(np.zeros(grad_output.shape, np.int32))
        results = [device.empty(values.shape, "float16") for _ in range(4)]
        for result in results:
            window = ((2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1))
            stream.run("max_pool3d_with_argmax_backward", grad_output, pooled_from, indices, *window, False, result)
        stream.synchronize()
        assert all(result.numpy().tobytes() == results[0].numpy().tobytes() for result in results)


def test_everything_ends_with_the_device() -> None:
    with easy.Device(0) as device:
        tensor = device.empty((3,), "int64")
        assert tensor.numpy().tolist() == [0, 0, 0]
    assert acl.destroy_tensor(tensor.handle) != 0
    assert acl.rt.get_context()[1] == constants.ACL_ERROR_RT_CONTEXT_NULL
    assert acl.finalize() == constants.ACL_ERROR_REPEAT_FINALIZE


def test_it_gets_on_with_a_program_that_initialises_for_itself() -> None:
    assert acl.init() == 0
    with easy.Device(0), easy.Device(0) as device:
        assert device.empty((1,), "float32").numpy().item() == 0
    assert acl.finalize() == 0


def test_a_device_that_is_not_there_leaves_nothing_behind() -> None:
    with pytest.raises(easy.AclError, match="deviceId is 9"), easy.Device(9):
        pass
    assert acl.finalize() == constants.ACL_ERROR_REPEAT_FINALIZE


def test_an_array_that_does_not_fit() -> None:
    with easy.Device(0) as device:
        tensor = device.empty((2, 2), "float32")
        with pytest.raises(ValueError, match="expected float32"):
            tensor.copy_from(np.zeros((2, 2)))
        with pytest.raises(ValueError, match="reshape"):
            tensor.copy_from(np.zeros(4, np.float32))


def test_mistakes_in_names_and_types_are_sentences() -> None:
    array = np.zeros((1, 1, 2, 2, 2), np.float32)
    with easy.Device(0) as device, device.stream() as stream:
        with pytest.raises(ValueError, match=r"format is 'NCXYZ'; expected one of .*NCDHW"):
            device.tensor(array, "NCXYZ")
        with pytest.raises(ValueError, match=r"dtype is 'complex64'; expected one of .*float32"):
            device.tensor(array.astype(np.complex64))
        with pytest.raises(ValueError, match=r"operator is 'upsample'; expected one of .*max_unpool3d"):
            stream.run("upsample")
        out = device.empty((1, 1, 1, 1, 1), "float32")
        with pytest.raises(TypeError, match=r"grad_out is of type ndarray, expected a tensor .*device\.tensor"):
            queue_sum(stream, array, out)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="missing a required argument: 'grad_input'"):
            stream.run(*SUM[:1], device.tensor(array), *SUM[1:])  # type: ignore[arg-type]
        stream.run(*SUM[:1], device.tensor(array), *SUM[1:3], *np.zeros(3, np.float32), out)  # type: ignore[arg-type]
