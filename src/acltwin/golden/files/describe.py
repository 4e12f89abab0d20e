"""A case as JSON and back: everything that its data are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.case_checks import check_case
from acltwin.golden.cases.checked import Value, checked, short
from acltwin.golden.files.tensors import plain
from acltwin.ops import OPERATORS


def case_to_json(case: Case) -> dict[str, Any]:
    """A case with data from elsewhere is described, but cannot be made again: ``geometry`` is null."""
    geometry = case.geometry
    return {
        "operator": case.operator,
        "name": case.name,
        "dtype": case.dtype,
        "arguments": plain(case.arguments),
        "seed": case.seed,
        "fill": case.fill,
        "batch": list(case.batch),
        "map_rule": case.map_rule,
        "exact": case.exact,
        "is_view": case.is_view,
        "first_code": case.first_code,
        "share": case.share,
        "finds": list(case.finds),
        "accumulate": case.accumulate,
        "asks": case.asks,
        "tolerance": None if case.tolerance is None else asdict(case.tolerance),
        "geometry": None if geometry is None else plain(vars(geometry)),
    }


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
