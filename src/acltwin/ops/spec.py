"""How an operator is declared: once, as data.

Each file of this package declares one operator in its ``SPEC``. Out of the specs come the C headers, the ctypes
prototypes, the tables of the documentation, the texts of ``acltwin explain`` and the tests of the checks: every rule
brings a call that breaks this rule and no other, and the core must refuse it with the rule's code and id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_args

Kind = Literal["tensor", "int_array", "float_array", "string", "double", "float", "bool", "int64", "int8"]
"""Of an argument, in C. Array functions take no float arrays and no strings."""
Role = Literal["input", "output"]
Holds = Literal["values", "indices", "shape", "mask"]
"""What of a tensor counts: its values, its values as places in a flattened plane, only its shape and dtype, or bytes
that may be such places."""
Family = Literal["upsample", "pool", "plain_pool", "masked_pool", "unpool", "adaptive_pool", "average", "linear"]
Mode = Literal["", "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic"]
"""Of an upsampling, as PyTorch calls it."""
Judge = Literal["array", "documented", "device"]
"""Who applies a rule: the array functions, or the aclnn interface under one of its two profiles."""

EVERYWHERE: tuple[Judge, ...] = get_args(Judge)
ACLNN: tuple[Judge, ...] = ("documented", "device")
DOCUMENTED: tuple[Judge, ...] = ("documented",)
ARRAY: tuple[Judge, ...] = ("array",)

NULL_POINTER = 161001
INVALID_PARAMETER = 161002
INNER_NULL_POINTER = 561103
KERNEL_EXCEPTION = 507015

SOCS = ("Ascend910", "Ascend910B", "Ascend910_93", "Ascend950")
FROM_910B = ("Ascend950", "Ascend910_93", "Ascend910B")
FLOATS = ("float32", "float16", "bfloat16")
INTEGERS = ("uint8", "int8", "int16", "uint16", "int32", "int64", "bool")
"""Masks, labels and scans: what array functions take beyond the documents where cells are only copied or compared."""

_C_TYPES = {
    "int_array": "const aclIntArray *",
    "float_array": "const aclFloatArray *",
    "string": "const char *",
    "int64": "int64_t",
    "int8": "int8_t",
}


@cache
def snake_case(name: str) -> str:
    """``gradOut`` -> ``grad_out``."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


@dataclass(frozen=True)
class Argument:
    """One documented argument of phase 1, in the document's spelling."""

    name: str
    kind: Kind
    doc: str
    example: Value = None  # in a small legal call, the ground on which rules' violations stand
    role: Role = "input"
    dtypes: tuple[str, ...] = ()  # of a tensor: what the document allows on some SoC
    array_dtypes: tuple[str, ...] = ()  # what the array function takes beyond that
    formats: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    holds: Holds = "values"  # of a tensor
    lacking: tuple[tuple[str, str], ...] = ()  # (SoC, dtype): which of the dtypes a SoC does not have
    begins_with_batch: bool = False  # of an int array: its first value is N
    one_for_all: bool = False  # of an int array: the array function takes one number for all axes too
    known_as: str = ""  # what the operator's partner and PyTorch call it, if not by its name
    takes_known_name: bool = False  # whether the array function calls it so too; it does of scales
    default: str | None = None  # in the array function, as Python writes it; None: the argument must be given
    empty: int = 0  # of an int array: what no values mean; of a stride, 0 is the kernel size
    c_only: bool = False  # of a scalar: the array function does not take it, and it is 0 there

    @property
    def common_name(self) -> str:
        """The name that the partner also has for it."""
        return self.known_as or self.name

    @property
    def snake_name(self) -> str:
        """The name in rule ids: ``grad_out``."""
        return snake_case(self.name)

    @property
    def python_name(self) -> str:
        """The name in the array function: ``self`` is called ``input`` there, and a result ``out``."""
        if self.role == "output" and self.holds == "values":
            return "out"
        if self.is_scale or self.takes_known_name:
            return snake_case(self.common_name)
        return "input" if self.name == "self" else self.snake_name

    @property
    def c_type(self) -> str:
        """The type in the C header."""
        if self.kind == "tensor":
            return "aclTensor *" if self.role == "output" else "const aclTensor *"
        return _C_TYPES.get(self.kind, self.kind)

    @property
    def case(self) -> TensorCase:
        """A tensor's example."""
        assert isinstance(self.example, TensorCase)
        return self.example

    @property
    def is_scale(self) -> bool:
        return self.kind in ("double", "float")

    @property
    def is_pointer(self) -> bool:
        return self.kind in ("tensor", "int_array", "float_array", "string")


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

    def but(self, **changes: Any) -> TensorCase:
        """The same tensor with other fields."""
        return replace(self, **changes)


Value = TensorCase | tuple[int, ...] | tuple[float, ...] | float | bool | bytes | None
"""An argument of an example call, by kind; a string is bytes, ``None`` is a null pointer."""


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


CheckKind = Literal[
    "not_null",
    "soc",
    "tensor_shape",
    "dtype",
    "soc_dtype",
    "same_dtype",
    "rank",
    "same_rank",
    "same_shape",
    "length",
    "positive",
    "format",
    "same_format",
    "same_axis_order",
    "public_format",
    "contiguous",
    "same_batch",
    "plane",  # D, H, W are the values of outputSize
    "batch_filled",  # above 0; of these dimensions:
    "channels_filled",
    "plane_filled",
    "rest_filled",  # all but the first
    "filled",
    "result_bytes",  # the array makes no result too large to count
    "resized",  # the result's shape follows from outputSize, that of a gradient from inputSize
]


@dataclass(frozen=True)
class Check:
    """How the core judges a rule that needs no code of its own. Which values are legal, the arguments say."""

    kind: CheckKind
    arguments: tuple[str, ...] = ()  # each is judged on its own
    other: str = ""  # what they are compared with
    counts: tuple[int, ...] = ()  # of a length: how many values are legal
    array_counts: tuple[int, ...] = ()  # what the array function takes beyond that
    meaning: str = ""  # of a length: what the values are, may name arguments as {outRef}; of others, a part of messages


@dataclass(frozen=True)
class Rule:
    """One thing that a call must fulfil. An operator checks its rules in order; the first broken one is reported.

    A rule with a ``check`` is judged by the core from this declaration. Any other one is a function of the rule's name:
    in the namespace of the operator (``OpSpec.native``), or, if several families share it, in the namespace ``shared``.
    """

    id: str
    sentence: str
    violation: Mapping[str, Value | str]  # what to change in the operator's valid call to break only this rule
    judges: tuple[Judge, ...] = EVERYWHERE
    code: int = INVALID_PARAMETER
    phase: Literal["check", "run"] = "check"  # "run": found by the kernel, reported when the stream is synchronised
    check: Check | None = None
    shared: str = ""
    raises: type[Exception] = ValueError  # by the array function; or TypeError, IndexError


@dataclass(frozen=True)
class Sample:
    """A call with values and its results, each one's elements in C order."""

    title: str
    call: CallCase
    expected: tuple[tuple[float, ...], ...]
    tolerance: float = 0.0  # of results whose weights are rounded


@dataclass(frozen=True)
class OpSpec:
    """The declaration of one operator."""

    name: str  # of the array function, and of the functions in acltwin.acl: max_unpool3d_backward
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
    native: str = ""  # the namespace of native/ops with its rules, `infer` and `plan`; none: that of its name
    planned_in: str = ""  # the namespace of `plan`, if it is another one
    doc: str = ""  # of the array function; none: the docstring of the operator's file
    aten: str = ""  # PyTorch's own operator; none: there is none
    mode: Mode = ""
    antialias: bool = False  # of an upsampling: windows widen where it shrinks
    scales_together: bool = False  # device rule: scales matter only if all are given
    scales_fit: bool = False  # device rule: a scale matters only if floor(input size * scale) is the output size
    unscaled_dtypes: tuple[str, ...] = ()  # for which the device ignores scales
    axes: str = "DHW"  # the spatial axes; what stands before them in a tensor is batch
    lone_axis: str = ""  # N or C: the batch axis of a tensor with only one; none: tensors always have both
    data_formats: tuple[str, ...] = ()  # orders of axes that formats and the array function know, the default first
    channels_last_arrays: bool = False  # arrays may have C last; aclnn reads every format as channels first
    input_size_follows_format: bool = False  # aclnn: channels-last tensors also have their C last in inputSize
    has_map_rule: bool = False  # whether rounding at a border follows `rule`: "device" or "torch"
    device_socs: tuple[str, ...] = ()  # where the device profile has it beyond that
    empty_succeeds_first: bool = False  # aclnn: with an empty tensor no rule about types, shapes and values counts
    planewise: bool = True  # a plane of a result depends on that plane of the tensors, wherever it lies among others
    c_only: bool = False  # a further C interface, without an array function of its own
    alike: str = ""  # of a further C interface: the array function that computes the same; none: there is none

    @property
    def task(self) -> str:
        """What it computes, along whatever axes: ``linear: linear upsampling, anti-aliased``."""
        return f"{self.family}: " + re.sub(r"\d-D |\b(bi|tri)(?=linear)", "", self.summary.partition(":")[0])

    @property
    def title(self) -> str:
        """What people look for: the array function, or the C function if there is no other."""
        return self.c_name if self.c_only else self.name

    @property
    def inputs(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.role == "input")

    @property
    def parameters(self) -> tuple[Argument, ...]:
        """What the array function takes, in this order; tensors come first."""
        return tuple(argument for argument in self.inputs if not argument.c_only)

    @property
    def results(self) -> tuple[Argument, ...]:
        """What the array function returns, a pair if there are two; they are the last arguments."""
        return tuple(argument for argument in self.arguments if argument.role == "output")

    @property
    def is_exact(self) -> bool:
        """Of an upsampling: whether cells are matched at their centres."""
        return self.mode == "nearest-exact"

    @property
    def array_formats(self) -> tuple[str, ...]:
        """What the array function's data_format takes, the default first."""
        return (f"NC{self.axes}", f"N{self.axes}C") if self.channels_last_arrays else self.data_formats

    @property
    def takes_factor(self) -> bool:
        """Whether the array function takes ``scale_factor`` in the place of an output size."""
        return not self.is_gradient and any(argument.is_scale for argument in self.inputs)

    @property
    def makes_indices(self) -> bool:
        """Whether a result holds indices, whose dtype the caller chooses."""
        return any(result.holds == "indices" for result in self.results)

    @property
    def is_linear(self) -> bool:
        """Whether it is in its first tensor: a maximum is not."""
        remembers = any(result.holds in ("indices", "mask") for result in self.results)
        return not remembers and self.family != "plain_pool"

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

    def second_interface(self, alike: str) -> OpSpec:
        """The same without a function on arrays: another C interface to what ``alike`` computes."""
        rules = [replace(rule, judges=tuple(judge for judge in rule.judges if judge in ACLNN)) for rule in self.rules]
        applied = tuple(rule for rule in rules if rule.judges)
        name = f"{alike}_v1" if alike else self.name
        return replace(self, name=name, rules=applied, c_only=True, alike=alike, partner="", aten="", doc="")

    def argument(self, name: str) -> Argument:
        """The argument with this documented name."""
        return next(argument for argument in self.arguments if argument.name == name)

    def rule(self, rule_id: str) -> Rule:
        return next(rule for rule in self.rules if rule.id == rule_id)

    def array_id(self, rule: Rule) -> str:
        """The rule's id in messages of the array function, by that function's name of the tensor: ``input_dtype``."""
        for argument in self.arguments:
            begin = f"{argument.snake_name}_"
            if argument.kind == "tensor" and rule.id.startswith(begin):
                return f"{argument.python_name}_{rule.id.removeprefix(begin)}"
        return rule.id

    def rules_of(self, judge: Judge) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if judge in rule.judges)

    def violating_call(self, rule: Rule) -> CallCase:
        """The call that only breaks this rule."""
        return self.valid.but(rule.violation)
