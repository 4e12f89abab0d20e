"""Arrays of every library go in, the same kind comes out, with the same bits."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from support.cases import (
    NEAREST3D,
    OPERATOR_DTYPES,
    OPERATORS,
    POOL,
    TENSOR_NAMES,
    UNPOOL,
    name_of,
    small_case,
)
from support.lazy import da, jax, torch
from support.libraries import Foreign, to_jax, to_numpy, to_torch
from support.messages import explains
from support.values import Array, assert_same_bits

OPERATOR_DTYPE = pytest.mark.parametrize(
    ("operator", "dtype"), OPERATOR_DTYPES, ids=[f"{operator}-{name_of(dtype)}" for operator, dtype in OPERATOR_DTYPES]
)


@OPERATOR_DTYPE
def test_numpy_arrays_give_a_numpy_array(operator: str, dtype: np.dtype[Any]) -> None:
    result = small_case(operator, dtype).run()
    assert type(result) is np.ndarray
    assert result.dtype == dtype
    assert result.flags.writeable
    assert result.flags.c_contiguous


@OPERATOR_DTYPE
def test_torch_tensors_give_a_torch_tensor(operator: str, dtype: np.dtype[Any]) -> None:
    case = small_case(operator, dtype)
    result = case.mapped(to_torch).run()
    assert type(result) is torch.Tensor
    assert result.is_contiguous()
    assert not result.requires_grad
    assert_same_bits(to_numpy(result), case.run())


@OPERATOR_DTYPE
def test_jax_arrays_give_a_jax_array(operator: str, dtype: np.dtype[Any]) -> None:
    case = small_case(operator, dtype)
    result = case.mapped(to_jax).run()
    assert isinstance(result, jax.Array)
    assert_same_bits(to_numpy(result), case.run())


@OPERATOR_DTYPE
def test_objects_of_unknown_libraries_give_a_numpy_array(operator: str, dtype: np.dtype[Any]) -> None:
    case = small_case(operator, dtype)
    result = case.mapped(Foreign).run()
    assert type(result) is np.ndarray
    assert_same_bits(result, case.run())


def test_objects_with_an_array_namespace_give_arrays_of_it() -> None:
    class Named(Foreign):
        def __array_namespace__(self) -> Any:
            return SimpleNamespace(from_dlpack=lambda other: ("mine", torch.utils.dlpack.from_dlpack(other)))

    case = small_case(NEAREST3D)
    kind, result = case.mapped(Named).run()
    assert kind == "mine"
    assert_same_bits(to_numpy(result), case.run())


@pytest.mark.parametrize("operator", [UNPOOL, POOL])
def test_the_first_tensor_decides_the_kind_of_a_mixture(operator: str) -> None:
    case = small_case(operator)
    expected = case.run()
    mixed = case.with_tensor(0, to_torch(case.tensors[0])).with_tensor(2, to_jax(case.tensors[2])).run()
    assert type(mixed) is torch.Tensor
    assert_same_bits(to_numpy(mixed), expected)
    assert type(case.with_tensor(2, to_torch(case.tensors[2])).run()) is np.ndarray


@pytest.mark.parametrize("operator", OPERATORS)
def test_results_outlive_their_inputs_and_later_calls(operator: str) -> None:
    case = small_case(operator)
    expected = case.run().copy()
    kept = [small_case(operator).mapped(convert).run() for convert in (np.copy, to_torch, to_jax, Foreign)]
    for seed in range(20):
        small_case(operator, seed=100 + seed).run()
    for result in kept:
        assert_same_bits(to_numpy(result), expected)


def test_subclasses_are_arrays_too(tmp_path: Any) -> None:
    case = small_case(NEAREST3D)
    on_disk = np.memmap(tmp_path / "gradient", np.float32, "w+", shape=case.tensors[0].shape)
    on_disk[...] = case.tensors[0]
    assert_same_bits(np.asarray(case.mapped(lambda _: on_disk).run()), case.run())
    parameter = torch.nn.Parameter(to_torch(case.tensors[0]), requires_grad=False)
    assert_same_bits(to_numpy(case.mapped(lambda _: parameter).run()), case.run())


@pytest.mark.parametrize("operator", OPERATORS)
def test_read_only_objects_of_unknown_libraries_work(operator: str) -> None:
    class ReadOnly:
        def __init__(self, array: Array) -> None:
            self._array = array.copy()
            self._array.flags.writeable = False

        def __dlpack__(self, **options: Any) -> Any:
            return self._array.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return self._array.__dlpack_device__()

    case = small_case(operator)
    assert_same_bits(case.mapped(ReadOnly).run(), case.run())


# ---- refused ----


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_tensor_that_records_gradients_is_refused(operator: str) -> None:
    case = small_case(operator).mapped(to_torch, masks=True)
    for position, name in enumerate(TENSOR_NAMES[operator]):
        if case.tensors[position].is_floating_point():
            recording = case.tensors[position].clone().requires_grad_()
            way = f"import acltwin.torch and call torch.ops.acltwin.{operator}"
            with explains(TypeError, operator, name, "requires_grad", way, f"or pass {name}.detach()"):
                case.with_tensor(position, recording).run()


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("thing", [None, 3, "text", [[1.0]], object(), np.float32(1)])
def test_what_is_no_array_is_refused(operator: str, thing: object) -> None:
    for position, name in enumerate(TENSOR_NAMES[operator]):
        fix = ["numpy.asarray"] if isinstance(thing, list) else []
        with explains(TypeError, operator, name, "NumPy array", *fix):
            small_case(operator).with_tensor(position, thing).run()


@pytest.mark.parametrize("operator", OPERATORS)
def test_another_byte_order_is_refused(operator: str) -> None:
    case = small_case(operator)
    for position, name in enumerate(TENSOR_NAMES[operator]):
        if case.tensors[position].itemsize == 1:
            continue
        swapped = case.tensors[position].astype(case.tensors[position].dtype.newbyteorder(">"))
        with explains(TypeError, operator, name, "byte order", "newbyteorder"):
            case.with_tensor(position, swapped).run()


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("dtype", ["complex64", "bool", "uint32", "float128", "object", "S4", "V2", "datetime64[s]"])
def test_other_dtypes_are_refused(operator: str, dtype: str) -> None:
    case = small_case(operator)
    for position, name in enumerate(TENSOR_NAMES[operator]):
        wrong = np.zeros(case.tensors[position].shape, dtype)
        with explains(TypeError, operator, name):
            case.with_tensor(position, wrong).run()


def test_a_dtype_that_nobody_takes_is_named() -> None:
    case = small_case(NEAREST3D)
    shape = case.tensors[0].shape
    for dtype, name in ((np.complex64, "complex64"), ([("a", "u1"), ("b", "u1")], "[('a', 'u1'), ('b', 'u1')]")):
        with explains(TypeError, NEAREST3D, "grad_out", f"dtype {name}"):
            case.with_tensor(0, np.zeros(shape, dtype)).run()
    for kind in (torch.complex64, torch.float8_e4m3fn):
        with explains(TypeError, NEAREST3D, "grad_out", f"dtype {kind}"):
            case.with_tensor(0, torch.zeros(shape, dtype=kind)).run()


def test_the_dtypes_of_one_call_must_agree() -> None:
    for operator in (UNPOOL, POOL):
        case = small_case(operator)
        with explains(TypeError, operator, "float16", "float32"):
            case.with_tensor(1, case.tensors[1].astype(np.float16)).run()


def test_tensors_without_ordinary_memory_are_refused() -> None:
    case = small_case(NEAREST3D)
    tensor = to_torch(case.tensors[0])
    with warnings.catch_warnings(action="ignore"):  # PyTorch's own, about its prototypes and what it will drop
        quantized = torch.quantize_per_tensor(tensor, 0.1, 0, torch.quint8)
        nested = torch.nested.nested_tensor([tensor[0]])
    refused = {
        "a meta tensor": tensor.to("meta"),
        "grad_out.to_dense()": tensor.to_sparse(),
        "layout torch._mkldnn": tensor.to_mkldnn(),
        "grad_out.dequantize()": quantized,
        "a nested tensor": nested,
    }
    for words, wrong in refused.items():
        with explains(TypeError, NEAREST3D, "grad_out", words) as caught:
            case.with_tensor(0, wrong).run()
        assert "frame" not in str(caught.value), "PyTorch's call stack is no help"


def test_transforms_of_pytorch_are_led_to_its_operators() -> None:
    case = small_case(NEAREST3D)
    with explains(TypeError, NEAREST3D, "grad_out", f"torch.ops.acltwin.{NEAREST3D}") as caught:
        torch.vmap(lambda gradient: case.with_tensor(0, gradient).run())(to_torch(case.tensors[0])[None])
    assert "frame" not in str(caught.value)


def test_views_with_a_pending_sign_are_refused() -> None:
    """DLPack hands over their memory, which holds the other sign."""
    case = small_case(NEAREST3D).mapped(to_torch)
    negated = torch.complex(case.tensors[0], -case.tensors[0]).conj().imag
    assert negated.is_neg()
    with explains(TypeError, NEAREST3D, "grad_out", "grad_out.resolve_neg()"):
        case.with_tensor(0, negated).run()
    assert_same_bits(to_numpy(case.with_tensor(0, negated.resolve_neg()).run()), to_numpy(case.run()))


def test_a_pending_sign_is_no_matter_where_values_are_not_read() -> None:
    """Of the pooling's input the gradient takes the shape alone."""
    case = small_case(POOL).mapped(to_torch)
    negated = torch.complex(case.tensors[1], -case.tensors[1]).conj().imag
    assert negated.is_neg()
    assert_same_bits(to_numpy(case.with_tensor(1, negated).run()), to_numpy(case.run()))


def _unknown(_: Any) -> Any:
    raise AttributeError("not known yet")


@pytest.mark.parametrize("question", [{"requires_grad": property(_unknown)}, {"is_neg": _unknown}])
def test_a_question_that_a_subclass_does_not_answer_is_not_taken_for_no(question: dict[str, Any]) -> None:
    case, kind = small_case(NEAREST3D).mapped(to_torch), type("Unsure", (torch.Tensor,), question)
    with pytest.raises(AttributeError, match="not known yet"):
        case.with_tensor(0, case.tensors[0].as_subclass(kind)).run()
    with pytest.raises(AttributeError, match="not known yet"):
        case.run(out=torch.zeros(case.result_shape).as_subclass(kind))


def test_indices_that_record_gradients_are_told_their_dtype_first() -> None:
    case = small_case(POOL).mapped(to_torch)
    with explains(TypeError, POOL, "indices", "int64"):
        case.with_tensor(2, case.tensors[2].float().requires_grad_()).run()


def test_traced_arrays_are_refused() -> None:
    case = small_case(NEAREST3D)
    from torch._subclasses.fake_tensor import FakeTensorMode

    fake = FakeTensorMode().from_tensor(to_torch(case.tensors[0]))
    with explains(TypeError, NEAREST3D, "grad_out", "no memory"):
        case.with_tensor(0, fake).run()
    for transform in (jax.jit, jax.grad):
        with explains(TypeError, NEAREST3D, "grad_out", "tracer", f"acltwin.jax.{NEAREST3D}"):
            transform(lambda gradient: case.with_tensor(0, gradient).run().sum())(case.tensors[0])


def test_arrays_around_arrays_are_told_what_to_do() -> None:
    case = small_case(NEAREST3D)
    with explains(TypeError, NEAREST3D, "a Dask array", f"acltwin.dask.{NEAREST3D}", "grad_out.compute()"):
        case.with_tensor(0, da.from_array(case.tensors[0])).run()
    labelled = type("DataArray", (), {"__module__": "xarray.core.dataarray"})
    with explains(TypeError, NEAREST3D, "an xarray DataArray", "pass grad_out.data"):
        case.with_tensor(0, labelled()).run()


def test_a_failing_dlpack_method_is_heard() -> None:
    class Broken:
        def __dlpack__(self, **options: Any) -> Any:
            raise BufferError("not today")

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    with pytest.raises(BufferError, match="not today"):
        small_case(NEAREST3D).with_tensor(0, Broken()).run()


def test_an_object_on_another_device_is_refused() -> None:
    class Elsewhere(Foreign):
        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 0)

        def __dlpack__(self, **options: Any) -> Any:
            raise AssertionError("an array on another device must not be asked for its memory")

    with explains(TypeError, NEAREST3D, "grad_out", "CPU"):
        small_case(NEAREST3D).mapped(Elsewhere).run()


def test_a_capsule_of_something_else_is_refused() -> None:
    class Odd(Foreign):
        def __dlpack__(self, **options: Any) -> Any:
            return "no capsule"

    with explains(TypeError, NEAREST3D, "grad_out", "DLPack"):
        small_case(NEAREST3D).mapped(Odd).run()
