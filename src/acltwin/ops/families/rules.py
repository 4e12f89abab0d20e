"""Rules that many operators have. The core judges them only from their declaration.

A violation changes the examples of the arguments that the rule is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from acltwin.ops.spec import (
    ACLNN,
    DOCUMENTED,
    EVERYWHERE,
    KERNEL_EXCEPTION,
    NULL_POINTER,
    SOCS,
    Argument,
    Check,
    CheckKind,
    Judge,
    Rule,
    Value,
    snake_case,
)

Violation = Mapping[str, Value | str]
Shape = tuple[int, ...]


def listed(words: Iterable[object]) -> str:
    """``float32, float16 or bfloat16``."""
    *others, last = map(str, words)
    return f"{', '.join(others)} or {last}" if others else last


# ---- violations ----


def changed(*tensors: Argument, **fields: Any) -> dict[str, Any]:
    """These tensors of the example call with other fields."""
    return {tensor.name: tensor.case.but(**fields) for tensor in tensors}


def reshaped(change: Callable[[Shape], Shape], *tensors: Argument) -> dict[str, Any]:
    """These tensors of the example call with other shapes."""
    return {tensor.name: tensor.case.but(shape=change(tensor.case.shape)) for tensor in tensors}


def channels_last(order: str, *tensors: Argument) -> dict[str, Any]:
    """These tensors of the example call in this order of axes, with C last."""
    shapes = {tensor: tensor.case.shape for tensor in tensors}
    return {
        tensor.name: tensor.case.but(format=order, shape=(shape[0], *shape[2:], shape[1]))
        for tensor, shape in shapes.items()
    }


def wider(shape: Shape) -> Shape:
    """One cell more along the last axis."""
    return (*shape[:-1], shape[-1] + 1)


def unbatched(shape: Shape) -> Shape:
    return shape[1:]


def other_batch(shape: Shape) -> Shape:
    """C = 3."""
    return (1, 3, *shape[2:])


def without_channels(shape: Shape) -> Shape:
    return (1, 0, *shape[2:])


# ---- rules ----


def first(
    arguments: tuple[Argument, ...], socs: tuple[str, ...], device_socs: tuple[str, ...], codes: Mapping[str, int]
) -> tuple[Rule, ...]:
    """What comes first in every operator: pointers, SoCs, shapes. ``codes`` are unusual statuses of null pointers."""
    sentences = {
        "workspaceSize": "workspaceSize must point to the variable that receives the size.",
        "executor": "executor must point to the variable that receives the executor.",
        **{argument.name: f"{argument.name} must not be null." for argument in arguments if argument.is_pointer},
    }
    null = (
        Rule(
            f"{snake_case(name)}_null",
            sentence,
            {name: None},
            ACLNN,
            codes.get(name, NULL_POINTER),
            check=Check("not_null", (name,)),
        )
        for name, sentence in sentences.items()
    )
    impossible = reshaped(lambda shape: (1,) * 6 + shape, arguments[0])
    sentence = "A tensor has at most 8 dimensions, none of them negative, and fewer than 2^63 bytes."
    shape = Rule("tensor_shape", sentence, impossible, check=Check("tensor_shape"))
    return (*null, *_soc(socs, device_socs), shape)


def _soc(socs: tuple[str, ...], device_socs: tuple[str, ...]) -> tuple[Rule, ...]:
    """The SoC must have the operator. No rule at all if every SoC has it."""
    missing = [soc for soc in SOCS if soc not in socs]
    missing_on_device = [soc for soc in missing if soc not in device_socs]
    if not missing:
        return ()
    sentence = f"The SoC must have the operator: {', '.join(socs)}."
    if device_socs:
        sentence = f"{sentence[:-1]}; under the device profile also {', '.join(device_socs)}."
    judges, lacking = (ACLNN, missing_on_device) if missing_on_device else (DOCUMENTED, missing)
    return (Rule("soc", sentence, {"soc": lacking[0]}, judges, check=Check("soc")),)


def _checked(
    kind: CheckKind, argument: Argument, sentence: str, violation: Violation, other: str = "", **fields: Any
) -> Rule:
    """A rule about one argument, or about it and another one."""
    name = f"{argument.snake_name}_{kind.removeprefix('same_')}"
    return Rule(name, sentence, violation, check=Check(kind, (argument.name,), other), **fields)


def dtype(argument: Argument, wrong: str = "int32", note: str = "") -> Rule:
    """The tensor's dtype is one that its argument lists."""
    beyond = f"; the array function also takes {listed(argument.array_dtypes)}" if argument.array_dtypes else ""
    sentence = f"{argument.name} must be {listed(argument.dtypes)}{beyond}.{note}"
    return _checked("dtype", argument, sentence, changed(argument, dtype=wrong), raises=TypeError)


def soc_dtype(argument: Argument, *alike: Argument, wrong: str = "") -> tuple[Rule, ...]:
    """The tensor's dtype is one that the SoC has. No rule if every SoC has all; ``alike`` have the same dtype."""
    if not argument.lacking:
        return ()
    lacking: dict[str, list[str]] = {}
    for soc, dtype in argument.lacking:
        lacking.setdefault(dtype, []).append(soc)
    notes = "; ".join(f"not {dtype} on {listed(socs)}" for dtype, socs in lacking.items())
    sentence = f"{argument.name} must have a dtype that the SoC has: {notes}."
    wrong = wrong or argument.lacking[0][1]
    violation = changed(argument, *alike, dtype=wrong)
    if "Ascend910B" not in lacking[wrong]:
        violation["soc"] = lacking[wrong][0]
    return (_checked("soc_dtype", argument, sentence, violation, judges=ACLNN, raises=TypeError),)


def same_dtype(argument: Argument, other: Argument) -> Rule:
    sentence = f"{argument.name} must have {other.name}'s dtype."
    wrong = "float32" if argument.case.dtype == "float16" else "float16"
    return _checked("same_dtype", argument, sentence, changed(argument, dtype=wrong), other.name, raises=TypeError)


def rank(argument: Argument) -> Rule:
    """The tensor has as many dimensions as its argument lists; one fewer than the fewest is wrong."""
    sentence = f"{argument.name} must have {listed(argument.ranks)} dimensions."
    wrong = reshaped(lambda shape: shape[len(shape) + 1 - min(argument.ranks) :], argument)
    return _checked("rank", argument, sentence, wrong)


def same_rank(argument: Argument, other: Argument) -> Rule:
    sentence = f"{argument.name} must have {other.name}'s rank."
    return _checked("same_rank", argument, sentence, reshaped(unbatched, argument), other.name)


def ranks(first: Argument, *others: Argument) -> tuple[Rule, ...]:
    """The first tensor has as many dimensions as its argument lists, the others as many as the first one."""
    return rank(first), *(same_rank(other, first) for other in others)


def same_shape(argument: Argument, other: Argument) -> Rule:
    sentence = f"{argument.name} must have {other.name}'s shape."
    return _checked("same_shape", argument, sentence, reshaped(wider, argument), other.name)


def same_batch(argument: Argument, other: Argument, *alike: Argument, batch: str = "N and C") -> Rule:
    """``alike`` have the same batch."""
    sentence = f"{argument.name} must have {other.name}'s {batch}."
    return _checked("same_batch", argument, sentence, reshaped(other_batch, argument, *alike), other.name)


def length(name: str, counts: Shape, meaning: str, violation: Shape, array_counts: Shape = ()) -> Rule:
    """The array has one of these numbers of values; ``meaning`` says in brackets what they are."""
    many = "value" if counts == (1,) else "values"
    beyond = f"; the array function also takes {listed(array_counts)}" if array_counts else ""
    sentence = f"{name} must have {listed(counts)} {many} {meaning.replace('{', '').replace('}', '')}{beyond}."
    check = Check("length", (name,), counts=counts, array_counts=array_counts, meaning=meaning)
    return Rule(f"{snake_case(name)}_length", sentence, {name: violation}, check=check)


def positive(name: str, violation: Shape, judges: tuple[Judge, ...] = EVERYWHERE) -> Rule:
    sentence = f"All values of {name} must be positive."
    return Rule(f"{snake_case(name)}_positive", sentence, {name: violation}, judges, check=Check("positive", (name,)))


def contiguous(argument: Argument, strides: Shape) -> Rule:
    sentence = f"{argument.name} must be contiguous."
    return _checked("contiguous", argument, sentence, changed(argument, strides=strides))


def known_format(argument: Argument, wrong: str) -> Rule:
    """The tensor's format is one that its argument lists."""
    sentence = f"{argument.name}'s format must be {listed(argument.formats)}."
    return _checked("format", argument, sentence, changed(argument, format=wrong), judges=ACLNN)


def same_format(tensors: tuple[Argument, ...], other: Argument, violation: Violation) -> Rule:
    names = tuple(tensor.name for tensor in tensors)
    sentence = f"{', '.join(names)} and {other.name} must have the same format."
    return Rule("formats_equal", sentence, violation, ACLNN, check=Check("same_format", names, other.name))


def same_axis_order(
    tensors: tuple[Argument, Argument], wrong: Argument, last: str, note: str = "", own: bool = False
) -> Rule:
    """``last`` is the order of channels-last tensors; a rule of its ``own`` has the name of the first tensor."""
    names, topic = [tensor.name for tensor in tensors], f"{tensors[0].snake_name}_format" if own else "formats_equal"
    sentence = f"{' and '.join(names)} must both be {last}, or neither.{note}"
    check = Check("same_axis_order", (names[0],), names[1])
    return Rule(topic, sentence, channels_last(last, wrong), ACLNN, check=check)


def public_format(*tensors: Argument) -> Rule:
    sentence, violation = "No tensor may have a private format.", changed(*tensors, format="FRACTAL_Z")
    return Rule("private_format", sentence, violation, ACLNN, check=Check("public_format"))


def index_range(plane: str, indices: Argument, *values: float) -> Rule:
    """Found by the kernel."""
    sentence = f"Every index must lie in the plane: 0 <= index < {plane}."
    violation = changed(indices, values=values)
    return Rule("index_range", sentence, violation, code=KERNEL_EXCEPTION, phase="run", raises=IndexError)
