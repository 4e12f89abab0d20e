"""From a case to a call of the C interface, in one layout or another, and back from the memory to results.

What the processes tell each other is a message; data do not travel with it: they lie in memory that both see.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from acltwin.golden.cases.case import Case, c_value
from acltwin.golden.cases.dtypes import Array, facts, name_of
from acltwin.golden.files.tensors import packed
from acltwin.ops.spec import Argument, OpSpec, TensorCase

FILLING = 0xA5  # what lies where no result has been written yet


@dataclass(frozen=True)
class Block:
    """A tensor and its storage; strides and offset count elements, ``start`` and ``nbytes`` bytes of the memory."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    format: str
    storage: tuple[int, ...]
    start: int
    nbytes: int
    is_result: bool


@dataclass(frozen=True)
class Call:
    """One call of an operator: its documented arguments, in order."""

    operator: str
    arguments: tuple[Block | tuple[int, ...] | float, ...]
    nbytes: int  # of the memory in use

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(argument for argument in self.arguments if isinstance(argument, Block))


@dataclass(frozen=True)
class Hello:
    """The first word of a process: what it has loaded, or why it could not."""

    soc: str = ""
    is_host: bool = False  # whether what it calls the device's memory is the process's own
    problem: str = ""


@dataclass(frozen=True)
class Reply:
    """How a call ended: ``function`` is the last one that was called, ``status`` what it returned."""

    function: str
    status: int
    message: str = ""
    workspace: int = 0
    written: tuple[str, ...] = ()  # inputs that are not as they were
    seconds: float = 0.0


# ---- laying out a call ----


CONTIGUOUS = "contiguous"
VIEW = "a strided view with an offset"
LAYOUTS = (CONTIGUOUS, VIEW)

_GUARD = 4  # elements in front of a view and behind it; a mask holds words of 4
_STEP = 2  # from one element of a view to the next
_ALIGNMENT = 64


@dataclass(frozen=True)
class Laid:
    """A call and the memory that it begins with."""

    call: Call
    data: Array


def lay_out(case: Case, layout: str) -> Laid:
    """The case's tensors in memory, results full of 0xA5, and the call that finds them there."""
    spec, tensors = case.spec, case.inputs()
    results = dict(zip((result.name for result in spec.results), case.result_shapes(), strict=True))
    arguments: list[Block | tuple[int, ...] | float] = []
    end = 0
    for argument in spec.arguments:
        if argument.kind != "tensor":
            arguments.append(c_value(case, argument))
            continue
        if argument.role == "output":
            dtype, shape = results[argument.name]
        else:
            tensor = tensors[argument.python_name]
            dtype, shape = name_of(tensor.dtype), tensor.shape
        block = _block(spec, argument, dtype, shape, _format(spec, argument, case, len(shape)), layout, end)
        end = -(-(block.start + block.nbytes) // _ALIGNMENT) * _ALIGNMENT
        arguments.append(block)
    call = Call(case.operator, tuple(arguments), max(end, 1))
    data: Array = np.full(call.nbytes, FILLING, np.uint8)
    for argument, value in zip(spec.arguments, arguments, strict=True):
        if isinstance(value, Block) and not value.is_result:
            view_of(value, data)[...] = tensors[argument.python_name]
    return Laid(call, data)


def results_of(call: Call, memory: Array) -> tuple[Array, ...]:
    return tuple(np.array(view_of(block, memory), order="C") for block in call.blocks if block.is_result)


def trespass(call: Call, memory: Array) -> str | None:
    """The result whose storage was written outside of the view, if there is one."""
    for block in call.blocks:
        if block.is_result:
            elements = _storage(block, memory).view(np.uint8).reshape(math.prod(block.storage), -1)
            outside = np.ones(math.prod(block.storage), np.bool_)
            as_strided(outside[block.offset :], block.shape, block.strides)[...] = False
            if (elements[outside] != FILLING).any():
                return block.name
    return None


def view_of(block: Block, memory: Array) -> Array:
    storage = _storage(block, memory)
    return as_strided(storage[block.offset :], block.shape, [step * storage.itemsize for step in block.strides])


def _storage(block: Block, memory: Array) -> Array:
    kind = facts(block.dtype).dtype
    return memory[block.start : block.start + block.nbytes].view(kind)


def _block(
    spec: OpSpec, argument: Argument, dtype: str, shape: tuple[int, ...], format: str, layout: str, start: int
) -> Block:
    if layout == CONTIGUOUS:
        strides, offset, storage = packed(shape), 0, shape
    else:
        # The first axis lies innermost, every second element is another's; but as the document says where it says so.
        strided = tuple(_STEP * step for step in reversed(packed(shape[::-1])))
        strides = packed(shape) if _must_be_contiguous(spec, argument) else strided
        reach = sum((size - 1) * step for size, step in zip(shape, strides, strict=True)) if math.prod(shape) else 0
        offset, storage = _GUARD, (_GUARD + reach + 1 + _GUARD,)
    nbytes = math.prod(storage) * facts(dtype).dtype.itemsize
    is_result = argument.role == "output"
    return Block(argument.name, dtype, shape, strides, offset, format, storage, start, nbytes, is_result)


def _must_be_contiguous(spec: OpSpec, argument: Argument) -> bool:
    checks = [rule.check for rule in spec.rules if rule.check is not None]
    return any(check.kind == "contiguous" and argument.name in check.arguments for check in checks)


def _format(spec: OpSpec, argument: Argument, case: Case, rank: int) -> str:
    """Of the case, or of the documented call; without N, some operators want the format with as many letters."""
    valid = spec.valid.arguments[argument.name]
    assert isinstance(valid, TensorCase)
    usual = str(case.arguments.get("data_format", valid.format))
    if rank == len(valid.shape):
        return usual
    return next((name for name in argument.formats if len(name) == rank), usual)
