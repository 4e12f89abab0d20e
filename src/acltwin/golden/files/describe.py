"""A case as JSON and back, checked: everything that its data are made from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, get_args

from acltwin.golden.cases import fills
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import MAX_BYTES, case_bytes
from acltwin.golden.cases.checked import Value, checked, short
from acltwin.golden.cases.dtypes import sizes_in
from acltwin.golden.cases.family import Geometry, family_of, flowing_name
from acltwin.golden.files.tensors import plain
from acltwin.golden.judge.vendor_rules import rule_names
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument
from acltwin.reference.source_table import MapRule

ELSEWHERE = ("kept", "make", "geometry")  # fields that are not told, or told at the end


def case_to_json(case: Case) -> dict[str, Any]:
    """A case with data from elsewhere is described, but cannot be made again: ``geometry`` is null."""
    made_from = {part.name: plain(getattr(case, part.name)) for part in fields(case) if part.name not in ELSEWHERE}
    tolerance = None if case.tolerance is None else asdict(case.tolerance)
    geometry = None if case.geometry is None else plain(vars(case.geometry))
    return {**made_from, "tolerance": tolerance, "geometry": geometry}


def case_from_json(data: Any, where: str = "the case") -> Case:
    """ValueError, with the place, for anything that is not a case, or whose parts do not belong together."""
    made: Case = checked(Case, data, where, without=("kept", "make"))
    made = replace(made, arguments=arguments_from_json(made.arguments, f"{where}, arguments"))
    if made.geometry is None:
        made = replace(made, make=_gone)
    else:
        parameters = arguments_from_json(made.geometry.parameters, f"{where}, geometry, parameters")
        made = replace(made, geometry=replace(made.geometry, parameters=parameters))
    if made.operator not in OPERATORS:
        raise ValueError(f"{where} is of an unknown operator, {short(made.operator)}; expected one of acltwin's")
    check_case(made, where)
    return made


def arguments_from_json(data: Any, where: str) -> dict[str, Any]:
    return tuples(checked(Mapping[str, Value], data, where))


def tuples(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as JSON has them, as the functions take them: lists are tuples, words the numbers that JSON lacks."""
    words = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
    return {
        name: tuple(value)
        if isinstance(value, list | tuple)
        else words.get(value, value)
        if isinstance(value, str)
        else value
        for name, value in arguments.items()
    }


def data_are_gone(case: Case) -> bool:
    """Whether its data came from elsewhere and only its description is left."""
    return case.make is _gone


def _gone() -> Mapping[str, Any]:
    raise ValueError("the data of this case came from elsewhere and were not kept")


# ---- whether the parts of a case belong together: arguments, sizes, data ----


CODE_ROOM = 16  # times as much as cases may have: what the planes of codes may take while a case is made


def check_case(case: Case, where: str) -> None:
    """ValueError that says which part does not fit. Of a case too large to be made, not every part is checked."""
    spec = case.spec
    _among(case.dtype, dtypes_of(spec, flowing_name(spec)), f"{where}, dtype")
    _among(case.map_rule, get_args(MapRule), f"{where}, map_rule")
    _among(case.asks, ("", *rule_names()), f"{where}, asks")
    check_arguments(spec, case.arguments, f"{where}, arguments")
    if case.geometry is not None:
        _check_geometry(case, case.geometry, where)


def dtypes_of(spec: OpSpec, name: str) -> tuple[str, ...]:
    """Those that an input tensor may have."""
    argument = next(one for one in spec.inputs if one.python_name == name)
    return (*argument.dtypes, *argument.array_dtypes)


def check_arguments(spec: OpSpec, arguments: Mapping[str, Any], where: str) -> None:
    """Names and types; whether the numbers can be, the operator says."""
    known = {argument.python_name: argument for argument in spec.inputs if argument.kind != "tensor"}
    for name, value in arguments.items():
        if name == "data_format":
            _among(value, ("", *spec.data_formats), f"{where}, {name}")
        elif name == "index_dtype" and spec.makes_indices:
            _among(value, next(one.dtypes for one in spec.results if one.holds == "indices"), f"{where}, {name}")
        elif name not in known:
            raise ValueError(f"{where} has {short(name)}; expected some of {', '.join(known)}")
        elif not _fits(known[name], value):
            wanted = "a number" if known[name].is_scale else "true or false"
            wanted = "whole numbers of at most 31 bits" if known[name].kind == "int_array" else wanted
            raise ValueError(f"{where}, {name} is {short(value)}; expected {wanted}")


def _fits(argument: Argument, value: Any) -> bool:
    if argument.kind == "bool" or argument.default == "False":  # a number in C alone
        return isinstance(value, bool)
    if argument.kind in ("int64", "int8"):
        return value is None or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31)
    if argument.is_scale:
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    if value is None:
        return argument.default is not None
    values = value if isinstance(value, tuple) else (value,)
    return all(isinstance(one, int) and not isinstance(one, bool) and abs(one) < 2**31 for one in values)


OF_THE_SET = ("level", "finds", "one_fill")  # of a geometry: why it is among the others, which says nothing of the call


def _check_geometry(case: Case, geometry: Geometry, where: str) -> None:
    spec, axes = case.spec, len(case.spec.axes)
    family = family_of(spec)
    for name in ("source", "result", "spans"):
        if len(getattr(geometry, name)) != axes:
            raise ValueError(f"{where}, geometry, {name} has {len(getattr(geometry, name))} sizes; expected {axes}")
    if len(case.batch) != len(geometry.batch) or len(case.batch) not in (1, 2):
        raise ValueError(
            f"{where}, batch is {short(case.batch)}; expected as many sizes as {short(geometry.batch)} has"
        )
    _among(case.fill, (*family.fills(spec, case.dtype), "impulse"), f"{where}, fill")
    if case_bytes(case) > MAX_BYTES:
        return
    wanted = _arguments(spec, geometry, case.batch)
    if dict(case.arguments) != wanted:
        raise ValueError(f"{where}, arguments are {short(case.arguments)}; expected {short(wanted)} by its geometry")
    again = replace(_again(spec, geometry, where), **{name: getattr(geometry, name) for name in OF_THE_SET})
    if again != geometry:
        raise ValueError(f"{where}, geometry is {short(geometry)}; expected {short(again)} by its own sizes")
    planes = fills.planes_needed(spec, geometry, case.dtype, case.fill or "")
    if planes * math.prod(geometry.source) * 8 > CODE_ROOM * MAX_BYTES:
        raise ValueError(f"{where} needs {planes} planes of {geometry.source}; expected a smaller case")
    if case.fill == "impulse" and case.batch[-1] != planes:
        raise ValueError(f"{where}, batch is {short(case.batch)}; expected {planes} channels for as many impulses")


def _arguments(spec: OpSpec, geometry: Geometry, batch: tuple[int, ...]) -> dict[str, object]:
    given = family_of(spec).arguments(spec, geometry, batch)
    return {**given, "data_format": geometry.data_format} if geometry.data_format else given


def _again(spec: OpSpec, geometry: Geometry, where: str) -> Geometry:
    """What the family makes of the sizes and parameters."""
    family, inner = family_of(spec), geometry.result if spec.is_gradient else geometry.source
    sizes = {"input": inner, flowing_name(spec): geometry.source}
    shapes = {name: sizes_in(geometry.data_format, (*geometry.batch, *size)) for name, size in sizes.items()}
    entry = family.entry(spec, shapes, _arguments(spec, geometry, geometry.batch))
    return family.described(spec, entry, geometry.name, f"{where}, geometry")


def is_small(case: Case) -> bool:
    """Whether its data are made and judged without much ado."""
    return case_bytes(case) <= MAX_BYTES // 4


def _among(value: Any, known: tuple[Any, ...], where: str) -> None:
    if value not in known:
        raise ValueError(f"{where} is {short(value)}; expected one of {', '.join(map(repr, known))}")
