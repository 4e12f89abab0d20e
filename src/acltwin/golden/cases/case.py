"""A case: one call of an operator, with data that are made when they are asked for.

What others build on::

    case.operator    "upsample_nearest3d_backward", a key of acltwin.ops.OPERATORS
    case.spec        its OpSpec
    case.name        "frac-up/float16/coded": geometry, dtype, fill; unique among the cases of one operator
    case.dtype       of the tensor whose values flow, and of the result
    case.arguments   what is passed beside the tensors, by the names of acltwin.<operator>
    case.inputs()    the tensors by name: acltwin.<operator>(**case.inputs(), **case.arguments) is the documented call
    case["indices"]  one of them
    case.expected()  Expected: value (s), magnitude (A), count (n), quantum (q), indices
    case.check(y)    AssertionError, with the census, unless y is right; case.judge(y) returns the Verdict
    case.fill, case.geometry, case.seed   None, or what the data were made from

``Case.of(operator, tensors, arguments)`` is a case with data from elsewhere: a file, a test, a user's program.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

import acltwin
from acltwin.golden.cases import dtypes as arrays
from acltwin.golden.cases import fills, masks
from acltwin.golden.cases.checked import Count, Name, Size
from acltwin.golden.cases.dtypes import Array, facts, is_channels_last, name_of
from acltwin.golden.cases.family import Geometry, family_of, flowing_name
from acltwin.golden.judge.bound import Accumulate
from acltwin.golden.judge.expected import Expected, expect
from acltwin.golden.judge.judge import judge
from acltwin.golden.judge.vendor_rules import Tolerance
from acltwin.golden.judge.verdict import Verdict
from acltwin.ops import OPERATORS
from acltwin.ops.spec import Argument, OpSpec

Kind = Literal["numpy", "torch"]


@dataclass(frozen=True)
class Case:
    """One call of an operator, with data that are made when they are asked for.

    ``acltwin.<operator>(**case.inputs(), **case.arguments)`` is the documented call; ``case["indices"]`` is one of its
    tensors, ``case.name`` says geometry, dtype and fill, as in ``"frac-up/float16/coded"``.
    """

    operator: str
    name: Name
    dtype: str
    arguments: Mapping[str, object]
    seed: int = 0
    geometry: Geometry | None = None
    fill: str | None = None
    batch: tuple[Size, ...] = ()
    map_rule: str = "device"
    exact: bool = False  # whether one result alone is right, for every kernel
    is_view: bool = False  # whether tensors are parts of larger storage; in cases of ours full of NaN around them
    first_code: Count = 0  # of a coded case whose codes are spread over several
    share: float = 1.0  # of the sources that a coded fill covers
    finds: tuple[str, ...] = ()
    accumulate: Accumulate = "float32"  # what a right kernel may add in, unless whoever judges says otherwise
    asks: str = ""  # the rule that its file asks for; judged beside bound
    tolerance: Tolerance | None = None  # of its file, for the rules that have one
    kept: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)  # the file's own entry
    make: Callable[[], Mapping[str, Array]] | None = field(default=None, compare=False, repr=False)

    @staticmethod
    def of(
        operator: str,
        tensors: Mapping[str, Array] | Callable[[], Mapping[str, Array]],
        arguments: Mapping[str, object],
        *,
        name: str = "given",
        dtype: str | None = None,
        map_rule: str = "device",
    ) -> Case:
        """A case with data from elsewhere: arrays by name, or a function that makes them.

        Arguments that are left out have the array function's defaults.
        """
        make = tensors if callable(tensors) else lambda: tensors
        flowing = flowing_name(OPERATORS[operator])
        given = {**_defaults(OPERATORS[operator]), **arguments}
        return Case(operator, name, dtype or name_of(make()[flowing].dtype), given, map_rule=map_rule, make=make)

    @property
    def spec(self) -> OpSpec:
        return OPERATORS[self.operator]

    @property
    def data_format(self) -> str:
        """Empty where the operator's default counts."""
        return str(self.arguments.get("data_format", ""))

    @property
    def format_name(self) -> str:
        """The order of the axes, as files name it: "ND" where an operator has no formats."""
        return self.data_format or (*self.spec.data_formats, "ND")[0]

    @property
    def terms(self) -> int | None:
        """The most values that a cell adds, where that is known."""
        return self.geometry.terms if self.geometry else None

    def inputs(self, kind: Kind = "numpy", device: str = "cpu") -> dict[str, Any]:
        """The tensors by name: NumPy arrays, or PyTorch tensors on a device; new ones at every call."""
        tensors = self._tensors()
        return tensors if kind == "numpy" else {name: arrays.to_torch(made, device) for name, made in tensors.items()}

    def __getitem__(self, tensor: str) -> Any:
        return self._tensors()[tensor]

    def expected(self) -> Expected:
        """The documented result in float64, with what is needed to bound the error of a right kernel."""
        return expect(self.operator, self._tensors(), self.arguments, self.map_rule, self.terms)

    def result_shapes(self, expected: Expected | None = None) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """(dtype, shape) of every result: known from the geometry, or from the twin."""
        if expected is not None or self.geometry is None:
            shape = (expected or self.expected()).value.shape
        else:
            shape = arrays.sizes_in(self.data_format, (*self.batch, *self.geometry.result))
        of = {
            "values": (facts(self.dtype).name, tuple(shape)),
            "indices": (self.index_dtype, tuple(shape)) if self.spec.makes_indices else None,
            "mask": ("int8", masks.shape_of(self.spec, shape, self.arguments)) if masks.has_mask(self.spec) else None,
        }
        return tuple(one for result in self.spec.results if (one := of[result.holds]) is not None)

    @property
    def indexed(self) -> Case:
        """The same with indices where the operator has a mask."""
        if not masks.has_mask(self.spec):
            return self
        make = self.make and (lambda: masks.given_indices(self.spec, self._tensors(), self.arguments))
        return replace(self, operator=masks.without_mask(self.spec).name, make=make)

    @property
    def index_dtype(self) -> str:
        """Of the indices that an operator finds."""
        found = next(result for result in self.spec.results if result.holds == "indices")
        return str(self.arguments.get("index_dtype", found.dtypes[0]))

    def with_indices(self, outputs: list[Array]) -> list[Array]:
        """Results, with indices for a mask."""
        if not masks.has_mask(self.spec):
            return outputs
        return masks.found_indices(self.spec, self._tensors(), self.arguments, outputs)

    def found(self, expected: Expected) -> Array | None:
        """The second result, as the operator gives it."""
        if expected.indices is None or not masks.has_mask(self.spec):
            return expected.indices
        return masks.mask_of(self.spec, expected.indices, self._tensors()["input"].shape, self.arguments)

    def judge(self, output: Any, rule: str = "bound", **options: Any) -> Verdict:
        """``golden.judge`` for this case."""
        return judge(self, output, rule, **options)

    def check(self, output: Any, rule: str = "bound", **options: Any) -> None:
        """AssertionError, with the census and the worst cells, unless ``output`` is right."""
        verdict = self.judge(output, rule, **options)
        if not verdict.passed:
            raise AssertionError(verdict.text())

    @property
    def making(self) -> fills.Making:
        """What the data of a case of ours are made from."""
        assert self.geometry is not None
        assert self.fill is not None
        return fills.Making(
            self.spec, self.geometry, self.dtype, self.fill, self.batch, self.seed, self.name, self.first_code
        )

    def _tensors(self) -> dict[str, Array]:
        if self.make is not None and self.is_view:  # the memory around them would be lost in a copy
            return dict(self.make())
        if self.make is not None:
            return {name: np.array(tensor, copy=True, order="K") for name, tensor in self.make().items()}
        spec, making = self.spec, self.making
        flowing = flowing_name(spec)
        made = {flowing: family_of(spec).flowing(making, flowing), **family_of(spec).companions(making)}
        tensors = {
            argument.python_name: _laid_out(made[argument.python_name], self.data_format)
            for argument in spec.inputs
            if argument.kind == "tensor"
        }
        strided = {name for name in tensors if not (name == "indices" and masks.has_mask(spec))} if self.is_view else ()
        return {name: arrays.embedded(made) if name in strided else made for name, made in tensors.items()}


def _defaults(spec: OpSpec) -> dict[str, object]:
    parameters = inspect.signature(getattr(acltwin, spec.name)).parameters
    defaults = {argument.python_name: parameters[argument.python_name].default for argument in spec.parameters}
    return {name: default for name, default in defaults.items() if default is not inspect.Parameter.empty}


def _laid_out(values: Array, data_format: str) -> Array:
    return np.ascontiguousarray(np.moveaxis(values, 1, -1)) if is_channels_last(data_format) else values


# ---- what the C function is given ----


def c_value(case: Case, argument: Argument) -> tuple[int, ...] | float:
    """The array functions take one number for all axes, and None; the C functions take lists and numbers alone."""
    spec = case.spec
    value: Any = case.arguments.get(argument.python_name)
    if argument.kind == "bool":
        return bool(value)
    if argument.kind in ("int64", "int8"):
        return int(value or 0)
    if argument.is_scale:
        usual = spec.valid.arguments[argument.name]
        none = min(usual, 0.0) if isinstance(usual, float) else 0.0  # for some operators 0 is a scale
        return float(value or none)
    if value is None:
        return () if _may_be_empty(spec, argument) else (1,) * len(spec.axes)
    return (int(value),) * len(spec.axes) if np.ndim(value) == 0 else tuple(int(item) for item in value)


def _may_be_empty(spec: OpSpec, argument: Argument) -> bool:
    checks = [rule.check for rule in spec.rules if rule.check is not None]
    return any(check.kind == "length" and argument.name in check.arguments and 0 in check.counts for check in checks)
