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

#ifdef __cplusplus
}}
#endif

#endif
"""

_FUNCTIONS = """
aclnnStatus {phase1}(
{parameters1}) {{
    const acltwin::HandleCall call{{{{{tensors}}}, {{{arrays}}}, {{{scales}}}, {flag}}};
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


def header(spec: OpSpec, generated: str) -> str:
    width = max(len(argument.name) for argument in spec.arguments)
    return _HEADER.format(
        generated=generated,
        guard=f"ACLTWIN_ACLNNOP_{spec.header.removesuffix('.h').upper()}_H",
        summary=spec.summary,
        formula=spec.formula,
        arguments="\n".join(f" * {argument.name:<{width}}  {argument.doc}" for argument in spec.arguments),
        **_fields(spec),
    )


def _names(spec: OpSpec, *kinds: str) -> list[str]:
    return [argument.name for argument in spec.arguments if argument.kind in kinds]


def functions(operators: list[OpSpec], generated: str) -> str:
    includes = "".join(f'#include "aclnnop/{spec.header}"\n' for spec in operators)
    parts = [f'// {generated}\n// clang-format off\n{includes}\n#include "runtime/executor.h"\n']
    for position, spec in enumerate(operators):
        parts.append(
            _FUNCTIONS.format(
                position=position,
                tensors=", ".join(_names(spec, "tensor")),
                arrays=", ".join(_names(spec, "int_array")),
                scales=", ".join(_names(spec, "double", "float")),
                flag=next(iter(_names(spec, "bool")), "false"),
                **_fields(spec),
            )
        )
    return "".join(parts)
