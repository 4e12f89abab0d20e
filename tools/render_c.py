"""The C interface of the operators: a header each, and the functions behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.spec import OpSpec

_HEADER = """\
/* {generated} */
/* clang-format off */
#ifndef {guard}
#define {guard}

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {{
#endif
{declarations}
#ifdef __cplusplus
}}
#endif

#endif
"""

_DECLARATIONS = """
/* {summary}
 *
 *     {formula}
 *
{arguments}
 * The first function checks the call and says how large a workspace the second one needs. */
ACLNN_API aclnnStatus {phase1}(
{parameters1});

/* Queues the call on the stream. */
ACLNN_API aclnnStatus {phase2}(
{parameters2});
"""

_FUNCTIONS = """
aclnnStatus {phase1}(
{parameters1}) {{
    const acltwin::HandleCall call{{{{{tensors}}}, {{{arrays}}}, {{{float_arrays}}}, {{{scalars}}}}};
    return acltwin::get_workspace_size(acltwin::operators().first[{position}], call, workspaceSize, executor);
}}

aclnnStatus {phase2}(
{parameters2}) {{
    return acltwin::execute(acltwin::operators().first[{position}], workspace, workspaceSize, executor, stream);
}}
"""


def _parameters(parameters: tuple[tuple[str, str], ...]) -> str:
    return ",\n".join(f"    {kind}{'' if kind.endswith('*') else ' '}{name}" for kind, name in parameters)


def _fields(spec: OpSpec) -> dict[str, str]:
    return {
        "phase1": spec.phase1_name,
        "phase2": spec.c_name,
        "parameters1": _parameters(spec.phase1_parameters),
        "parameters2": _parameters(spec.phase2_parameters),
    }


def _declarations(spec: OpSpec) -> str:
    width = max(len(argument.name) for argument in spec.arguments)
    return _DECLARATIONS.format(
        summary=spec.summary,
        formula=spec.formula,
        arguments="\n".join(f" * {argument.name:<{width}}  {argument.doc}" for argument in spec.arguments),
        **_fields(spec),
    )


def headers(interfaces: list[OpSpec], generated: str) -> dict[str, str]:
    """By name; some have the functions of two operators."""
    found: dict[str, list[str]] = {}
    for spec in interfaces:
        found.setdefault(spec.header, []).append(_declarations(spec))
    return {
        name: _HEADER.format(
            generated=generated,
            guard=f"ACLTWIN_ACLNNOP_{name.removesuffix('.h').upper()}_H",
            declarations="".join(declarations),
        )
        for name, declarations in found.items()
    }


def _names(spec: OpSpec, *kinds: str) -> list[str]:
    return [argument.name for argument in spec.arguments if argument.kind in kinds]


def functions(operators: list[OpSpec], generated: str) -> str:
    names = dict.fromkeys(spec.header for spec in operators)
    includes = "".join(f'#include "aclnnop/{name}"\n' for name in names)
    parts = [f'// {generated}\n// clang-format off\n{includes}\n#include "runtime/executor.h"\n']
    for position, spec in enumerate(operators):
        parts.append(
            _FUNCTIONS.format(
                position=position,
                tensors=", ".join(_names(spec, "tensor")),
                arrays=", ".join(_names(spec, "int_array")),
                float_arrays=", ".join(_names(spec, "float_array")),
                scalars=", ".join(_names(spec, "double", "float", "bool", "int64", "int8", "string")),
                **_fields(spec),
            )
        )
    return "".join(parts)
