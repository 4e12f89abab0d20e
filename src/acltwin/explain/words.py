"""Operators, settings, chips, and the other words that stand in acltwin's messages."""

from __future__ import annotations

from acltwin.explain.layout import wrapped
from acltwin.ops import INTERFACES, OpSpec
from acltwin.ops.spec import SOCS

VARIABLES = {
    "ACLTWIN_CHECK": "Watches an aclnn program for races, leaks and other mistakes: 1, all, or a list such as "
    "race,leak. 'acltwin check -- PROGRAM' sets it.",
    "ACLTWIN_CHECK_LOG": "The file to which check mode appends its findings, one line of JSON each.",
    "ACLTWIN_CHECK_QUIET": "1 writes findings only into the log, not to standard error. 'acltwin check' sets it.",
    "ACLTWIN_CHECK_SUPPRESS": "The file that lists the findings that 'acltwin check' must not report.",
    "ACLTWIN_DEVICES": "How many devices the ACL interface has: 1 (default) to 64.",
    "ACLTWIN_ISA": "The instruction-set level of the kernels: x86-64-v2 or x86-64-v3; baseline on other processors. "
    "Default: the best that the CPU has.",
    "ACLTWIN_JAX_ENGINE": "pure_callback makes acltwin.jax call back into Python instead of running natively in XLA.",
    "ACLTWIN_LIBRARY": "Which ACL library acltwin.acl binds: a file, a directory, or cann. Default: acltwin's own.",
    "ACLTWIN_LOG": "1 prints why each rejected call of the ACL interface was rejected, to standard error; so does the "
    "vendor's ASCEND_SLOG_PRINT_TO_STDOUT.",
    "ACLTWIN_NUM_THREADS": "How many threads a kernel uses: 1 to 256. Default: the cores that the process may use.",
    "ACLTWIN_OUTPUT_POOL_MIB": "How much memory of dropped results is kept for new ones, in MiB; 0 keeps none. "
    "Default: 1024.",
    "ACLTWIN_PROFILE": "How strictly the ACL interface checks: documented (default) rejects what the documents forbid, "
    "device only rejects what the real operators reject.",
    "ACLTWIN_SOC": f"The chip whose support and limits apply: {', '.join(SOCS)}, also with a suffix such as "
    "Ascend910B3. Default: Ascend910B.",
    "ACLTWIN_VERBOSE": "1 prints a line per call to standard error: operator, shapes, dtypes, kernel variant, threads, "
    "time.",
}

WORDS = {
    "documented": "The default profile of the ACL interface: it rejects what the documents forbid. Choose with "
    "ACLTWIN_PROFILE.",
    "device": "Two things. As a profile of the ACL interface (ACLTWIN_PROFILE=device): only reject what the real "
    'operators reject. As a rule of the upsamplings (rule="device", the default): place cells and weights as the '
    "NPU does.",
    "torch": 'A rule of the upsamplings: with rule="torch" cells and weights are placed as PyTorch does.',
    "InvertedScaleWarning": "A given scale is nearer to input size / output size than to output size / input size. A "
    "scale is always output size / input size, also for gradients. If you mean what you wrote, silence it: "
    'warnings.simplefilter("ignore", acltwin.InvertedScaleWarning).',
    "workspace": "Scratch memory of phase 2, as large as phase 1 says: ask each time, and allocate it if that is above "
    "0. Here gradients of max pooling often need one, other operators rarely, averages and the gradients of nearest "
    "upsampling and unpooling never. Sizes on a device differ.",
    **{soc: f"A chip that the ACL interface can stand for. Choose with ACLTWIN_SOC={soc}." for soc in SOCS},
}


def topics() -> list[str]:
    operators = [word for spec in INTERFACES.values() for word in (spec.name, spec.c_name, spec.phase1_name)]
    return [*operators, *VARIABLES, *WORDS]


def text(topic: str) -> str | None:
    for spec in INTERFACES.values():
        if topic in (spec.name, spec.c_name, spec.phase1_name):
            return _operator(spec)
    if topic in VARIABLES:
        return f"{topic}  (environment variable)\n\n{wrapped(VARIABLES[topic])}"
    return f"{topic}\n\n{wrapped(WORDS[topic])}" if topic in WORDS else None


def _operator(spec: OpSpec) -> str:
    extra = f"; under the device profile also {', '.join(spec.device_socs)}" if spec.device_socs else ""
    name, parameters = spec.alike or spec.name, INTERFACES[spec.alike or spec.name].parameters
    inputs = ", ".join(argument.python_name for argument in parameters)
    python = "" if spec.c_only and not spec.alike else f"acltwin.{name}({inputs}, ...)"
    return "\n".join(
        [
            f"{spec.name}  ({spec.c_name})",
            "",
            wrapped(spec.summary),
            "",
            wrapped(spec.formula, "Formula:  "),
            *([wrapped(python, "Python:   ")] if python else []),
            wrapped(f"{spec.phase1_name}, then {spec.c_name}", "C:        "),
            wrapped(f"{', '.join(spec.socs)}{extra}", "Chips:    "),
            *([f"{'Forward:' if spec.is_gradient else 'Backward:':<9} {spec.partner}"] if spec.partner else []),
            "",
            wrapped(", ".join(rule.id for rule in spec.rules), "Rules, in the order they are checked: "),
        ]
    )
