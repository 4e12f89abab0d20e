"""How an operator is declared: once, as data.

Each file of this package declares one operator in its ``SPEC``. Out of the specs come the C headers, the ctypes
prototypes, the tables of the documentation, the texts of ``acltwin explain`` and the tests of the checks: every rule
brings a call that breaks this rule and no other, and the core must refuse it with the rule's code and id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["tensor", "int_array", "double", "float", "bool"]
Role = Literal["input", "output"]
Holds = Literal["values", "indices", "shape"]
"""What of a tensor counts: its values, its values as places in a flattened plane, or its shape and dtype alone."""
Family = Literal["upsample", "pool", "unpool"]
Judge = Literal["array", "documented", "device"]
"""Who applies a rule: the array functions, or the aclnn interface under one of its two profiles."""

EVERYWHERE: tuple[Judge, ...] = get_args(Judge)
ACLNN: tuple[Judge, ...] = ("documented", "device")
DOCUMENTED: tuple[Judge, ...] = ("documented",)
ARRAY: tuple[Judge, ...] = ("array",)

NULL_POINTER = 161001
INVALID_PARAMETER = 161002
KERNEL_EXCEPTION = 507015

SOCS = ("Ascend910", "Ascend910B", "Ascend910_93", "Ascend950")


def snake_case(name: str) -> str:
    """``gradOut`` -> ``grad_out``."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


@dataclass(frozen=True)
class Argument:
    """One documented argument of phase 1, in the document's spelling."""

    name: str
    kind: Kind
    doc: str
    role: Role = "input"
    dtypes: tuple[str, ...] = ()  # of a tensor: what the document allows on some SoC
    array_dtypes: tuple[str, ...] = ()  # what the array function takes beyond that
    formats: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    holds: Holds = "values"  # of a tensor
    begins_with_batch: bool = False  # of an int array: its first value is N

    @property
    def snake_name(self) -> str:
        """The name in rule ids: ``grad_out``."""
        return snake_case(self.name)

    @property
    def python_name(self) -> str:
        """The name in the array function: ``self`` is called ``input`` there, and every result ``out``."""
        if self.role == "output":
            return "out"
        return "input" if self.name == "self" else self.snake_name

    @property
    def c_type(self) -> str:
        """The type in the C header."""
        if self.kind == "tensor":
            return "aclTensor *" if self.role == "output" else "const aclTensor *"
        return "const aclIntArray *" if self.kind == "int_array" else self.kind

    @property
    def is_pointer(self) -> bool:
        return self.kind in ("tensor", "int_array")


@dataclass(frozen=True)
class TensorCase:
    """A tensor of an example call. Strides count elements; ``None`` means contiguous.

    ``values`` are the elements in C order; ``None`` means zeros. With strides of 0, one element of storage describes
    shapes that no machine could hold.
    """

    dtype: str
    shape: tuple[int, ...]
    format: str = "ND"
    strides: tuple[int, ...] | None = None
    values: tuple[float, ...] | None = None

    def but(
        self,
        *,
        dtype: str | None = None,
        shape: tuple[int, ...] | None = None,
        format: str | None = None,
        strides: tuple[int, ...] | None = None,
        values: tuple[float, ...] | None = None,
    ) -> TensorCase:
        """The same tensor with other fields."""
        return TensorCase(
            dtype or self.dtype,
            shape or self.shape,
            format or self.format,
            strides or self.strides,
            values or self.values,
        )


Value = TensorCase | tuple[int, ...] | float | bool | None
"""An argument of an example call, by kind; ``None`` is a null pointer."""


@dataclass(frozen=True)
class CallCase:
    """An example call: the documented arguments by name, in order, and the SoC it runs on.

    Beyond the documented arguments, ``workspaceSize`` and ``executor`` may appear with ``None``: null pointers.
    """

    arguments: Mapping[str, Value]
    soc: str = "Ascend910B"

    def but(self, changes: Mapping[str, Value | str]) -> CallCase:
        """The same call with other arguments; the key ``soc`` changes the SoC."""
        arguments = {name: value for name, value in changes.items() if not isinstance(value, str)}
        return CallCase({**self.arguments, **arguments}, str(changes.get("soc", self.soc)))


@dataclass(frozen=True)
class Rule:
    """One thing that a call must fulfil. An operator checks its rules in order; the first broken one counts."""

    id: str
    sentence: str
    violation: Mapping[str, Value | str]  # what to change in the operator's valid call to break this rule alone
    judges: tuple[Judge, ...] = EVERYWHERE
    code: int = INVALID_PARAMETER
    phase: Literal["check", "run"] = "check"  # "run": found by the kernel, reported when the stream is synchronised

    @property
    def exception(self) -> type[Exception]:
        """What the array function raises."""
        if self.id == "index_range":
            return IndexError
        return TypeError if self.id.endswith("_dtype") else ValueError


@dataclass(frozen=True)
class Sample:
    """A call with values and its results, each one's elements in C order."""

    title: str
    call: CallCase
    expected: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class OpSpec:
    """The declaration of one operator."""

    name: str  # of the array function: max_unpool3d_backward
    c_name: str  # aclnnMaxUnpool3dBackward
    header: str  # aclnn_max_unpool3d_backward.h
    summary: str  # one sentence
    formula: str  # one line, in the documents' names
    arguments: tuple[Argument, ...]
    socs: tuple[str, ...]  # where the documents have it
    valid: CallCase  # a small legal call, the ground on which rules' violations stand
    rules: tuple[Rule, ...]
    samples: tuple[Sample, ...]
    family: Family
    partner: str  # a gradient's forward operator, a forward operator's gradient
    is_gradient: bool
    axes: str = "DHW"  # the spatial axes; what stands before them in a tensor is batch
    data_formats: tuple[str, ...] = ()  # orders of axes that the array function's data_format takes, the default first
    has_map_rule: bool = False  # whether rounding at a border follows `rule`: "device" or "torch"
    is_exact: bool = False  # of an upsampling: whether cells are matched at their centres (nearest-exact)
    device_socs: tuple[str, ...] = ()  # where the device profile has it beyond that

    @property
    def inputs(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.role == "input")

    @property
    def results(self) -> tuple[Argument, ...]:
        """What the array function returns, a pair if there are two; they are the last arguments."""
        return tuple(argument for argument in self.arguments if argument.role == "output")

    @property
    def makes_indices(self) -> bool:
        """Whether a result holds indices, whose dtype the caller chooses."""
        return any(result.holds == "indices" for result in self.results)

    @property
    def example(self) -> Sample:
        """The document's own sample."""
        return self.samples[0]

    @property
    def phase1_name(self) -> str:
        return self.c_name + "GetWorkspaceSize"

    @property
    def phase1_parameters(self) -> tuple[tuple[str, str], ...]:
        """(C type, name) of the first function's parameters, in order."""
        documented = tuple((argument.c_type, argument.name) for argument in self.arguments)
        return (*documented, ("uint64_t *", "workspaceSize"), ("aclOpExecutor **", "executor"))

    @property
    def phase2_parameters(self) -> tuple[tuple[str, str], ...]:
        """(C type, name) of the second function's parameters, in order; the same for every operator."""
        return (
            ("void *", "workspace"),
            ("uint64_t", "workspaceSize"),
            ("aclOpExecutor *", "executor"),
            ("aclrtStream", "stream"),
        )

    def argument(self, name: str) -> Argument:
        """The argument with this documented name."""
        return next(argument for argument in self.arguments if argument.name == name)

    def rule(self, rule_id: str) -> Rule:
        return next(rule for rule in self.rules if rule.id == rule_id)

    def rules_of(self, judge: Judge) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if judge in rule.judges)

    def violating_call(self, rule: Rule) -> CallCase:
        """The call that breaks this rule alone."""
        return self.valid.but(rule.violation)


def null_rules(arguments: Iterable[Argument]) -> tuple[Rule, ...]:
    """The rules that come first in every operator: no pointer may be null."""
    sentences = {
        "workspaceSize": "workspaceSize must point to the variable that receives the size.",
        "executor": "executor must point to the variable that receives the executor.",
    }
    for argument in arguments:
        if argument.is_pointer:
            sentences[argument.name] = f"{argument.name} must not be null."
    return tuple(
        Rule(f"{snake_case(name)}_null", sentence, {name: None}, ACLNN, NULL_POINTER)
        for name, sentence in sentences.items()
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
    return (Rule("soc", sentence, {"soc": lacking}, judges),)


def tensor_shape_rule(argument: str, tensor: TensorCase) -> Rule:
    """No tensor may have an impossible shape; ``argument`` shows it."""
    sentence = "A tensor has at most 8 dimensions, none of them negative, and fewer than 2^63 bytes."
    return Rule("tensor_shape", sentence, {argument: tensor.but(shape=(1,) * 5 + tensor.shape)})
