"""What the processes tell each other. Data do not travel with it: they lie in memory that both see."""

from __future__ import annotations

from dataclasses import dataclass

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
