"""The plugin for TTK, loaded by the kit's rules: names are read without executing, classes called by their forms."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import to_numpy, to_torch
from acltwin.golden.cases.family import weighs
from acltwin.golden.files.vendor.ttk_kernels import attributes_of, kernel_arrays, kernel_of, kernels
from acltwin.ops import OPERATORS
from support.lazy import torch

EXAMPLE = Path(__file__).parents[2] / "examples" / "golden" / "ttk_plugin.py"
ONE_OF_EACH = [*{(spec.family, spec.is_gradient): name for name, spec in OPERATORS.items()}.values()]


def literals(path: Path) -> dict[str, Any]:
    """Dictionaries at module level, without executing anything."""
    found = {}
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name in ("__spec__", "__golden__"):
                found[name] = ast.literal_eval(statement.value)
    return found


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plugin") / "twin_plugin.py"
    done = subprocess.run([sys.executable, EXAMPLE, path], capture_output=True, text=True, check=True)
    assert done.stdout == f"{len(OPERATORS) + len(kernels())} operators and kernels, in {path}\n"
    return path


def spec_class(path: Path, name: str) -> Any:
    class_name = literals(path)["__spec__"][name]
    assert isinstance(class_name, str)
    return getattr(load(path), class_name)


def c_arguments(case: Case) -> list[Any]:
    """In the C function's order, tensors as PyTorch's."""
    tensors = case.inputs("torch")
    return [
        tensors[argument.python_name] if argument.kind == "tensor" else case.arguments.get(argument.python_name, 0)
        for argument in case.spec.inputs
    ]


def formats_of(case: Case) -> dict[str, Any]:
    return {"tensor_formats": (case.arguments.get("data_format", "ND"),)}


def results_of(case: Case) -> list[Any]:
    returned = getattr(acltwin, case.operator)(**case.inputs(), **case.arguments)
    return list(returned) if isinstance(returned, tuple) else [returned]


def test_every_operator_and_kernel_is_named_in_literals(plugin: Path) -> None:
    found = literals(plugin)
    assert set(found["__spec__"]) == {spec.c_name for spec in OPERATORS.values()} | set(kernels())
    module = load(plugin)
    assert all(hasattr(module, name) for name in found["__spec__"].values())
    assert set(found["__golden__"]["kernel"]) == set(kernels())
    assert all(callable(getattr(module, name)) for name in found["__golden__"]["kernel"].values())


@pytest.mark.parametrize("operator", ONE_OF_EACH)
def test_aclnn_goldens(plugin: Path, operator: str) -> None:
    test_spec = spec_class(plugin, OPERATORS[operator].c_name)
    for case in golden.cases(operator, level="quick", dtypes=("float16",))[:6]:
        made = test_spec.golden(*c_arguments(case), **formats_of(case))
        assert isinstance(made, list)
        for one, expected in zip(made, results_of(case), strict=True):
            assert isinstance(one, torch.Tensor)
            assert to_numpy(one).tobytes() == expected.tobytes()


@pytest.mark.parametrize("operator", ONE_OF_EACH)
@pytest.mark.parametrize("planes", ["few", "many"])
def test_aclnn_inputs_are_exact_and_legal(plugin: Path, operator: str, planes: str) -> None:
    """In place and returned, in the same shapes; the results are then the same in every order of the sums."""
    test_spec = spec_class(plugin, OPERATORS[operator].c_name)
    cases = golden.cases(operator, dtypes=("float32",))
    coded = [one for one in cases if one.fill == "coded"]
    case = coded[0] if coded and planes == "many" else next(one for one in cases if one.fill != "coded")
    given = [one.clone() if isinstance(one, torch.Tensor) else one for one in c_arguments(case)]
    for one in given:
        if isinstance(one, torch.Tensor):
            one.zero_()
    returned = test_spec.customize_inputs(*given, **formats_of(case))
    tensors = [one for one in given if isinstance(one, torch.Tensor)]
    assert all(one is other for one, other in zip(returned, tensors, strict=True))
    assert [one.shape for one in returned] == [array.shape for array in case.inputs().values()]
    assert returned[0].unique().numel() > (1 if weighs(case.spec) else 3)  # ones and zeros, or codes
    made = test_spec.golden(*given, **formats_of(case))
    names = list(case.inputs())
    again = Case.of(operator, dict(zip(names, map(to_numpy, returned), strict=True)), case.arguments)
    assert again.judge(tuple(made)).passed
    assert again.judge(tuple(made), "binary").passed
    assert test_spec.tolerance["float32"] == {"standard": "binary_equal"}


@pytest.mark.parametrize("operator", [name for name in ONE_OF_EACH if OPERATORS[name].is_gradient])
def test_kernels(plugin: Path, operator: str) -> None:
    kernel = next(one for one in kernels().values() if one.name == kernel_of(OPERATORS[operator]).name)
    operator = kernel.spec.name
    test_spec = spec_class(plugin, kernel.name)
    function = getattr(load(plugin), literals(plugin)["__golden__"]["kernel"][kernel.name])
    for case in golden.cases(operator, level="quick", dtypes=("float32",))[:4]:
        arrays, attributes = kernel_arrays(kernel, case), attributes_of(kernel, case)
        words = {"input_formats": (case.arguments.get("data_format", "ND"),)}
        (expected,) = results_of(case)
        for golden_of in (test_spec.golden, function):
            (made,) = golden_of(*arrays, **attributes, **words)
            assert isinstance(made, np.ndarray)
            assert made.tobytes() == expected.tobytes()
        filled = test_spec.customize_inputs(*arrays, **attributes, **words)
        assert [one.shape for one in filled] == [one.shape for one in arrays]
        assert [one.dtype for one in filled] == [one.dtype for one in arrays]
        (made,) = test_spec.golden(*filled, **attributes, **words)
        inputs = dict(zip(kernel.names, filled, strict=True))
        context = {"inputs": inputs, "attributes": attributes}
        assert test_spec.compare([made], [made], compare_context=context, **words)[0]
        wrong = made.copy()
        wrong.ravel()[0] += 1
        passed, text = test_spec.compare([wrong], [made], compare_context=context, **words)
        assert not passed
        assert "1 of" in text


def test_compare_knows_what_a_sum_can_be(plugin: Path) -> None:
    case = golden.cases("upsample_nearest3d_backward", level="default", dtypes=("float32",), fills=("real",))[0]
    test_spec = spec_class(plugin, case.spec.c_name)
    attributes = {a.name: case.arguments[a.python_name] for a in case.spec.inputs if a.kind != "tensor"}
    inputs = [case.inputs("torch")["grad_out"]]
    context = SimpleNamespace(inputs=inputs, attributes=attributes)
    (right,) = results_of(case)
    near = np.nextafter(right, np.float32(np.inf))  # another order of the sums
    assert test_spec.compare([to_torch(near)], [to_torch(right)], compare_context=context)[0]
    assert not test_spec.compare([to_torch(right + 1)], [to_torch(right)], compare_context=context)[0]
    with pytest.raises(ValueError, match="has not all inputs; expected gradOut"):
        test_spec.compare([right], [right], compare_context={"attributes": attributes})
