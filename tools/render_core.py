"""The core's table of operators: their arguments, and their rules in order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.spec import Argument, OpSpec, Rule

SOCS = ("Ascend910", "Ascend910B", "Ascend910_93", "Ascend950")  # as the core numbers them
_RAISES = {ValueError: "Raises::value_error", TypeError: "Raises::type_error", IndexError: "Raises::index_error"}
_KINDS = {
    "tensor": "tensor",
    "int_array": "ints",
    "float_array": "floats",
    "string": "text",
    "double": "real",
    "float": "real",
    "bool": "boolean",
    "int64": "int64",
    "int8": "int8",
}
_INVALID = 161002
_SCALARS = ("double", "float", "bool", "int64", "int8", "string")
_JUDGES = {"array": "kByArray", "documented": "kByDocumented", "device": "kByDevice"}


def _bits(words: Iterable[str]) -> str:
    return " | ".join(words) or "0"


def _dtypes(names: Iterable[str]) -> str:
    return _bits(f"bit(DType::{'boolean' if name == 'bool' else name})" for name in names)


def _soc(name: str) -> str:
    return f"Soc::{name.lower()}"


def _counts(counts: Iterable[int]) -> str:
    return _bits(f"bit({count})" for count in counts)


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def _of_kind(spec: OpSpec, *kinds: str) -> list[Argument]:
    return [argument for argument in spec.arguments if argument.kind in kinds]


def _position(spec: OpSpec, name: str) -> int:
    """Among the tensors, the arrays, the float arrays or the scalars."""
    argument = spec.argument(name)
    return _of_kind(spec, *(_SCALARS if argument.kind in _SCALARS else (argument.kind,))).index(argument)


def _kind(argument: Argument) -> str:
    return f"ArgumentKind::{_KINDS[argument.kind]}"


# ---- rules ----


def _native(spec: OpSpec) -> str:
    return spec.native or spec.name


def _particular(spec: OpSpec, rule: Rule) -> str:
    """The function that judges a rule which no declaration can describe."""
    return f"{rule.shared or _native(spec)}::{rule.id}"


def _core_rules(spec: OpSpec) -> list[Rule]:
    """What the core checks before a call is planned. Two null pointers are the C door's own, indices the kernels'."""
    known = {argument.name for argument in spec.arguments}
    return [
        rule
        for rule in spec.rules
        if rule.phase == "check" and (rule.check is None or known.issuperset(rule.check.arguments))
    ]


def _rows(spec: OpSpec, rule: Rule) -> list[str]:
    judges = _bits(_JUDGES[judge] for judge in rule.judges)
    check, raises = rule.check, _RAISES[rule.raises]
    if check is None:
        return [f'{{"{rule.id}", Check::particular, {judges}, -1, -1, 0, 0, "", {_particular(spec, rule)}, {raises}}}']
    other = _position(spec, check.other) if check.other else -1
    counts = f'{_counts(check.counts)}, {_counts(check.array_counts)}, "{check.meaning}"'
    rows = []
    for name in check.arguments or ("",):
        position = _position(spec, name) if name else -1
        other_code = check.kind == "not_null" or rule.code != _INVALID
        kind = f", {_kind(spec.argument(name))}, {rule.code}" if other_code else ""
        fields = f"{judges}, {position}, {other}, {counts}, nullptr, {raises}{kind}"
        rows.append(f'{{"{rule.id}", Check::{check.kind}, {fields}}}')
    return rows


def _rules(spec: OpSpec) -> str:
    rows = [row for rule in _core_rules(spec) for row in _rows(spec, rule)]
    lines = "".join(f"    {row},\n" for row in rows)
    return f"constexpr Rule k_{spec.name}_rules[] = {{\n{lines}}};\n"


def _declarations(operators: list[OpSpec]) -> str:
    """The functions that the tables name."""
    found: dict[str, set[str]] = {}
    for spec in operators:
        found.setdefault(_native(spec), set()).add("Tensor infer(const Call& call, int result)")
        found.setdefault(spec.planned_in or _native(spec), set()).add("std::unique_ptr<Plan> plan(const Call& call)")
        for rule in _core_rules(spec):
            if rule.check is None:
                found.setdefault(rule.shared or _native(spec), set()).add(f"Failure {rule.id}(const Call& call)")
    blocks = []
    for space, functions in sorted(found.items()):
        lines = "".join(f"{function};\n" for function in sorted(functions))
        blocks.append(f"namespace {space} {{\n{lines}}}\n")
    return "\n".join(blocks)


# ---- arguments ----


def _formats(spec: OpSpec, argument: Argument) -> str:
    names = "".join(f"Format::{name.lower()}, " for name in argument.formats)
    return f"constexpr Format k_{spec.name}_{argument.name}_formats[] = {{{names}Format::undefined}};\n"


def _tensor(spec: OpSpec, argument: Argument) -> str:
    lacking: dict[str, list[str]] = {}
    for soc, dtype in argument.lacking:
        lacking.setdefault(soc, []).append(dtype)
    by_soc = ", ".join(_dtypes(lacking.get(soc, ())) for soc in SOCS)
    return (
        f'{{"{argument.name}", "{argument.python_name}", Holds::{argument.holds}, {_dtypes(argument.dtypes)}, '
        f"{_dtypes(argument.array_dtypes)}, {{{by_soc}}}, {_counts(argument.ranks)}, "
        f"k_{spec.name}_{argument.name}_formats}}"
    )


def _named(arguments: list[Argument]) -> str:
    def row(argument: Argument) -> str:
        python_name = "nullptr" if argument.c_only else f'"{argument.python_name}"'
        return f'{{"{argument.name}", {python_name}, {_kind(argument)}, {argument.empty}}}'

    return ", ".join(map(row, arguments))


def _operator(spec: OpSpec) -> str:
    tensors, arrays = _of_kind(spec, "tensor"), _of_kind(spec, "int_array")
    float_arrays, scalars = _of_kind(spec, "float_array"), _of_kind(spec, *_SCALARS)
    scales = [argument for argument in scalars if argument.is_scale]
    parameters = [] if spec.c_only else [_kind(argument) for argument in spec.parameters]
    lone_axis = f"'{spec.lone_axis}'" if spec.lone_axis else "0"
    tensor_lines = "".join(f"     {_tensor(spec, tensor)},\n" for tensor in tensors)
    return f"""\
    {{"{spec.name}", "{spec.c_name}",
     {len(tensors)}, {len(spec.results)}, {len(arrays)}, {len(float_arrays)}, {len(scalars)},
     {{
{tensor_lines}     }},
     {{{_named(arrays)}}},
     {{{_named(float_arrays)}}},
     {{{_named(scalars)}}},
     /*first_scale=*/{scalars.index(scales[0]) if scales else 0}, /*scales=*/{len(scales)},
     /*c_only=*/{_boolean(spec.c_only)}, {len(parameters)}, {{{", ".join(parameters)}}},
     /*axes=*/{len(spec.axes)}, /*lone_axis=*/{lone_axis},
     /*reads_channels_last=*/{_boolean(len(spec.data_formats) > 1)},
     /*takes_channels_last=*/{_boolean(spec.channels_last_arrays)},
     /*is_gradient=*/{_boolean(spec.is_gradient)},
     /*input_size_follows_format=*/{_boolean(spec.input_size_follows_format)},
     /*empty_succeeds_first=*/{_boolean(spec.empty_succeeds_first)},
     {_bits(f"bit({_soc(soc)})" for soc in spec.socs)}, {_bits(f"bit({_soc(soc)})" for soc in spec.device_socs)},
     "{spec.task}", /*exact=*/{_boolean(spec.is_exact)},
     k_{spec.name}_rules, int(std::size(k_{spec.name}_rules)),
     {_native(spec)}::infer, {spec.planned_in or _native(spec)}::plan}},
"""


def declarations(operators: list[OpSpec], generated: str) -> str:
    formats = "".join(_formats(spec, tensor) for spec in operators for tensor in _of_kind(spec, "tensor"))
    rules = "\n".join(_rules(spec) for spec in operators)
    rows = "".join(_operator(spec) for spec in operators)
    return f"""\
// {generated}
// clang-format off
#include <iterator>

#include "ops/operator.h"

namespace acltwin {{

{_declarations(operators)}
namespace {{

{formats}
{rules}
constexpr Operator kOperators[] = {{
{rows}}};

}}  // namespace

Operators operators() {{ return {{std::begin(kOperators), std::end(kOperators)}}; }}

}}  // namespace acltwin
"""
