"""Rules that many operators have. The core judges them only from their declaration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from acltwin.ops.spec import (
    ACLNN,
    DOCUMENTED,
    EVERYWHERE,
    KERNEL_EXCEPTION,
    NULL_POINTER,
    SOCS,
    Argument,
    Check,
    Judge,
    Rule,
    TensorCase,
    Value,
    snake_case,
)

Violation = Mapping[str, Value | str]


def listed(words: Iterable[object]) -> str:
    """``float32, float16 or bfloat16``."""
    *others, last = map(str, words)
    return f"{', '.join(others)} or {last}" if others else last


def null_rules(arguments: Iterable[Argument], codes: Mapping[str, int] | None = None) -> tuple[Rule, ...]:
    """The rules that come first in every operator: no pointer may be null. ``codes`` are other statuses than usual."""
    sentences = {
        "workspaceSize": "workspaceSize must point to the variable that receives the size.",
        "executor": "executor must point to the variable that receives the executor.",
    }
    for argument in arguments:
        if argument.is_pointer:
            sentences[argument.name] = f"{argument.name} must not be null."
    return tuple(
        Rule(
            f"{snake_case(name)}_null",
            text,
            {name: None},
            ACLNN,
            (codes or {}).get(name, NULL_POINTER),
            check=Check("not_null", (name,)),
        )
        for name, text in sentences.items()
    )


def soc_rule(socs: tuple[str, ...], device_socs: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    """The SoC must have the operator. No rule at all if every SoC has it."""
    missing = [soc for soc in SOCS if soc not in socs]
    missing_on_device = [soc for soc in missing if soc not in device_socs]
    if not missing:
        return ()
    sentence = f"The SoC must have the operator: {', '.join(socs)}."
    if device_socs:
        sentence = f"{sentence[:-1]}; under the device profile also {', '.join(device_socs)}."
    judges, lacking = (ACLNN, missing_on_device[0]) if missing_on_device else (DOCUMENTED, missing[0])
    return (Rule("soc", sentence, {"soc": lacking}, judges, check=Check("soc")),)


def tensor_shape_rule(argument: str, tensor: TensorCase) -> Rule:
    """No tensor may have an impossible shape; ``argument`` shows it."""
    sentence = "A tensor has at most 8 dimensions, none of them negative, and fewer than 2^63 bytes."
    violation = {argument: tensor.but(shape=(1,) * 6 + tensor.shape)}
    return Rule("tensor_shape", sentence, violation, check=Check("tensor_shape"))


def dtype_rule(argument: Argument, violation: TensorCase, note: str = "") -> Rule:
    """The tensor's dtype is one that its argument lists."""
    beyond = f"; the array function also takes {listed(argument.array_dtypes)}" if argument.array_dtypes else ""
    sentence = f"{argument.name} must be {listed(argument.dtypes)}{beyond}.{note}"
    name, check = argument.name, Check("dtype", (argument.name,))
    return Rule(f"{argument.snake_name}_dtype", sentence, {name: violation}, check=check, raises=TypeError)


def soc_dtype_rule(argument: Argument, violation: Violation) -> Rule:
    """The tensor's dtype is one that the SoC has."""
    lacking: dict[str, list[str]] = {}
    for soc, dtype in argument.lacking:
        lacking.setdefault(dtype, []).append(soc)
    notes = "; ".join(f"not {dtype} on {listed(socs)}" for dtype, socs in lacking.items())
    sentence = f"{argument.name} must have a dtype that the SoC has: {notes}."
    check = Check("soc_dtype", (argument.name,))
    return Rule(f"{argument.snake_name}_soc_dtype", sentence, violation, ACLNN, check=check, raises=TypeError)


def same_dtype_rule(name: str, other: str, violation: TensorCase) -> Rule:
    sentence = f"{name} must have {other}'s dtype."
    check = Check("same_dtype", (name,), other)
    return Rule(f"{snake_case(name)}_dtype", sentence, {name: violation}, check=check, raises=TypeError)


def rank_rule(argument: Argument, violation: TensorCase) -> Rule:
    """The tensor has as many dimensions as its argument lists."""
    name, sentence = argument.name, f"{argument.name} must have {listed(argument.ranks)} dimensions."
    return Rule(f"{argument.snake_name}_rank", sentence, {name: violation}, check=Check("rank", (name,)))


def same_rank_rule(name: str, other: str, violation: TensorCase) -> Rule:
    sentence = f"{name} must have {other}'s rank."
    return Rule(f"{snake_case(name)}_rank", sentence, {name: violation}, check=Check("same_rank", (name,), other))


def same_shape_rule(name: str, other: str, violation: TensorCase) -> Rule:
    sentence = f"{name} must have {other}'s shape."
    return Rule(f"{snake_case(name)}_shape", sentence, {name: violation}, check=Check("same_shape", (name,), other))


def length_rule(
    name: str, counts: tuple[int, ...], meaning: str, violation: tuple[int, ...], array_counts: tuple[int, ...] = ()
) -> Rule:
    """The array has one of these numbers of values; ``meaning`` says in brackets what they are."""
    many = "value" if counts == (1,) else "values"
    beyond = f"; the array function also takes {listed(array_counts)}" if array_counts else ""
    sentence = f"{name} must have {listed(counts)} {many} {meaning.replace('{', '').replace('}', '')}{beyond}."
    check = Check("length", (name,), counts=counts, array_counts=array_counts, meaning=meaning)
    return Rule(f"{snake_case(name)}_length", sentence, {name: violation}, check=check)


def positive_rule(name: str, violation: tuple[int, ...], judges: tuple[Judge, ...] = EVERYWHERE) -> Rule:
    sentence = f"All values of {name} must be positive."
    return Rule(f"{snake_case(name)}_positive", sentence, {name: violation}, judges, check=Check("positive", (name,)))


def contiguous_rule(name: str, violation: TensorCase) -> Rule:
    sentence = f"{name} must be contiguous."
    return Rule(f"{snake_case(name)}_contiguous", sentence, {name: violation}, check=Check("contiguous", (name,)))


def index_range_rule(plane: str, indices: TensorCase) -> Rule:
    """Found by the kernel."""
    sentence = f"Every index must lie in the plane: 0 <= index < {plane}."
    violation = {"indices": indices}
    return Rule("index_range", sentence, violation, code=KERNEL_EXCEPTION, phase="run", raises=IndexError)


def format_rule(argument: Argument, violation: TensorCase) -> Rule:
    """The tensor's format is one that its argument lists."""
    name, sentence = argument.name, f"{argument.name}'s format must be {listed(argument.formats)}."
    return Rule(f"{argument.snake_name}_format", sentence, {name: violation}, ACLNN, check=Check("format", (name,)))


def same_format_rule(names: tuple[str, ...], other: str, violation: Violation) -> Rule:
    sentence = f"{', '.join(names)} and {other} must have the same format."
    return Rule("formats_equal", sentence, violation, ACLNN, check=Check("same_format", names, other))


def same_axis_order_rule(name: str, other: str, channels_last: str, violation: Violation, note: str = "") -> Rule:
    sentence = f"{name} and {other} must both be {channels_last}, or neither.{note}"
    return Rule("formats_equal", sentence, violation, ACLNN, check=Check("same_axis_order", (name,), other))


def public_format_rule(name: str, tensor: TensorCase) -> Rule:
    violation = {name: tensor.but(format="FRACTAL_Z")}
    return Rule(
        "private_format", "No tensor may have a private format.", violation, ACLNN, check=Check("public_format")
    )
