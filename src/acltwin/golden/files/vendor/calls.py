"""One call that a vendor's file describes, checked against the operator's SPEC, and the cases that come of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import argument_bytes, case_bytes, check_room, make_case
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import Array, facts, sizes_in
from acltwin.golden.cases.family import Geometry, family_of, fetches, flowing_name
from acltwin.golden.cases.masks import shape_of
from acltwin.golden.cases.streams import Stream
from acltwin.golden.files.vendor import Options
from acltwin.golden.files.vendor.values import Range, Tensor, draw, literal
from acltwin.golden.judge.vendor_rules import Tolerance
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument

DTYPE_WORDS = {
    "fp16": "float16",
    "half": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "float": "float32",
    "fp64": "float64",
    "double": "float64",
    "int64_t": "int64",
    "int8_t": "int8",
}


@dataclass(frozen=True)
class Call:
    operator: str
    name: str
    where: str  # for messages: which file, which case
    tensors: Mapping[str, Tensor]  # by the names of acltwin.<operator>
    arguments: Mapping[str, Any]
    results: tuple[tuple[int, ...], ...] = ()  # the shapes that the file gives them, if it does
    asks: str = ""
    tolerance: Tolerance | None = None
    kept: Mapping[str, Any] = field(default_factory=dict)

    @property
    def spec(self) -> OpSpec:
        return OPERATORS[self.operator]


def dtype_of(word: Any, argument: Argument, where: str) -> str:
    """Our name of a dtype, if the argument may have it."""
    name = DTYPE_WORDS.get(word, word) if isinstance(word, str) else word
    known = (*argument.dtypes, *argument.array_dtypes)
    if name not in known:
        raise ValueError(f"{where}: {argument.name} has the dtype {short(word)}; expected one of {', '.join(known)}")
    return str(name)


def sizes_of(value: Any, where: str) -> tuple[int, ...]:
    """Whole numbers, none below 0."""
    items = value if isinstance(value, list | tuple) else None
    if items is None or not all(isinstance(item, int) and not isinstance(item, bool) and item >= 0 for item in items):
        raise ValueError(f"{where} is {short(value)}; expected a list of whole numbers, none below 0")
    return tuple(items)


def list_of(value: Any, argument: Argument, axes: int, where: str) -> tuple[int, ...]:
    """The numbers of an int array; where the file has none, the array function's default."""
    if value is not None:
        return sizes_of(value, f"{where}: {argument.name}")
    if argument.default is None:
        raise ValueError(f"{where} has no {argument.name}; expected a list of numbers")
    otherwise = literal(argument.default, argument.name)
    return () if otherwise is None else (otherwise,) * axes


def cases_of(call: Call, options: Options) -> list[Case]:
    """The cases with the file's data, with ours, or both. Nothing is allocated before the sizes are checked."""
    geometry = checked(call, options)
    made = []
    if options.data != "ours" or geometry is None:  # without elements there is nothing to choose
        made.append(file_case(call, geometry, options, f"{call.name}/{_dtype(call)}/file"))
    if options.data != "file" and geometry is not None:
        made += _our_cases(call, geometry, options)
    return made


def checked(call: Call, options: Options) -> Geometry | None:
    """The geometry of a call whose sizes agree; None for one without elements."""
    _check_bytes(call, options.max_bytes)
    if any(0 in tensor.shape for tensor in call.tensors.values()):
        return None
    geometry = geometry_of(call)
    check_room(geometry, 1, options.max_bytes, call.where)
    _check_shapes(call, geometry)
    return geometry


def geometry_of(call: Call) -> Geometry:
    """What the family makes of the sizes and arguments."""
    spec = call.spec
    for name in ("kernel_size", "stride", "strides", "dilation"):
        value = call.arguments.get(name)
        if value is not None and min((value,) if isinstance(value, int) else value, default=1) < 1:
            raise ValueError(f"{call.where}: {name} is {short(value)}; expected numbers above 0")
    shapes = {name: tensor.shape for name, tensor in call.tensors.items()}
    entry = family_of(spec).entry(spec, shapes, call.arguments)
    return family_of(spec).described(spec, entry, call.name, call.where)


def _check_bytes(call: Call, most: int) -> None:
    """From the shapes alone, arguments included: sizes that the result will have count as well."""
    for name, tensor in call.tensors.items():
        size = math.prod(tensor.shape) * facts(tensor.dtype).dtype.itemsize
        if size > most:
            raise ValueError(
                f"{call.where}: {name} of shape {tensor.shape} has {size} bytes; expected at most {most}: "
                "make it smaller, or allow more with --max-bytes"
            )
    itemsize = facts(call.tensors[flowing_name(call.spec)].dtype).dtype.itemsize
    for name, value in call.arguments.items():
        if argument_bytes({name: value}, itemsize) > most:
            raise ValueError(
                f"{call.where}: {name} is {short(value)}; expected a product of at most {most} bytes: "
                "make it smaller, or allow more with --max-bytes"
            )


def _check_shapes(call: Call, geometry: Geometry) -> None:
    spec = call.spec
    flowing = flowing_name(spec)
    wanted = sizes_in(geometry.data_format, (*geometry.batch, *geometry.source))
    pooled = geometry.result if spec.is_gradient else geometry.source
    for argument in spec.inputs:
        if argument.kind != "tensor":
            continue
        beside = argument.holds == "indices" and not fetches(spec)  # one for every value
        expected = wanted if argument.python_name == flowing or beside else (*geometry.batch, *pooled)
        expected = shape_of(spec, wanted, geometry.parameters) if argument.holds == "mask" else expected
        found = call.tensors[argument.python_name].shape
        if found != expected:
            raise ValueError(
                f"{call.where}: {argument.name} has the shape {found}; expected {expected} "
                "by the other sizes: correct either"
            )

    shown = sizes_in(geometry.data_format, (*geometry.batch, *geometry.result))
    for number, (found, result) in enumerate(zip(call.results, spec.results, strict=False)):
        expected = shape_of(spec, shown, geometry.parameters) if result.holds == "mask" else shown
        if found != expected:
            raise ValueError(
                f"{call.where}: output {number} has the shape {found}; expected {expected} "
                "by the inputs: correct either"
            )


def _our_cases(call: Call, geometry: Geometry, options: Options) -> list[Case]:
    spec, dtype = call.spec, _dtype(call)
    made = []
    for fill in family_of(spec).fills(spec, dtype):
        if options.fills and fill not in options.fills:
            continue
        case = make_case(spec, geometry, dtype, fill, options.seed, options.map_rule)
        if case_bytes(case) > options.max_bytes:
            options.notes.append(f"{call.where}: the fill {fill} needs {case_bytes(case)} bytes and was left out")
            continue
        bits_matter = case.exact and fill != "special"  # sums that round depend on their order, NaN has many bits
        asks = call.asks if bits_matter or call.asks != "binary" else ""
        made.append(replace(case, asks=asks, tolerance=call.tolerance, kept=call.kept))
    return made


def _dtype(call: Call) -> str:
    return call.tensors[flowing_name(call.spec)].dtype


def file_case(call: Call, geometry: Geometry | None, options: Options, name: str) -> Case:
    """The case with the data that the file describes or holds."""
    make = partial(_tensors, call, geometry, options.seed, name)
    case = Case.of(call.operator, make, call.arguments, name=name, dtype=_dtype(call), map_rule=options.map_rule)
    is_view = any(tensor.storage and tensor.storage.strides is not None for tensor in call.tensors.values())
    return replace(case, asks=call.asks, tolerance=call.tolerance, kept=call.kept, is_view=is_view)


def _tensors(call: Call, geometry: Geometry | None, seed: int, case: str) -> dict[str, Array]:
    spec = call.spec
    made = {
        name: draw(tensor.values, Stream(seed, case, name), tensor.shape, tensor.dtype)
        if isinstance(tensor.values, Range)
        else tensor.values()
        for name, tensor in call.tensors.items()
    }
    for argument in spec.inputs:
        if argument.holds in ("indices", "mask") and isinstance(call.tensors[argument.python_name].values, Range):
            made[argument.python_name] = _indices(call, geometry, argument, made)
    return made


def _indices(call: Call, geometry: Geometry | None, argument: Argument, made: Mapping[str, Array]) -> Array:
    tensor = call.tensors[argument.python_name]
    legal = family_of(call.spec).legal_indices
    if geometry is None or legal is None:
        return np.zeros(tensor.shape, tensor.dtype)
    return legal(call.spec, geometry, made, call.arguments, Stream(0, call.name, argument.python_name))


def call_key(case: Case) -> str:
    """The same for cases that differ in their data alone."""
    return repr((case.operator, case.dtype, case.batch, sorted(case.arguments.items())))
