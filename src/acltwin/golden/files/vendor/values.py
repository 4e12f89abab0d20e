"""What vendors' files say of values: literals, thresholds, ranges of data, tensors. Nothing is ever executed."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import Array, Facts, facts, float64, rounded
from acltwin.golden.cases.streams import Stream
from acltwin.golden.files import tensors as files
from acltwin.golden.files.tensors import Storage

LONGEST = 1_000_000  # characters of one literal

_POWER = re.compile(r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*\*\*\s*(-?\d{1,4})\s*")
_UNREADABLE = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


def literal(text: str, where: str) -> Any:
    """A Python literal: numbers, text, tuples, lists, dictionaries, None; ValueError for anything else."""
    if len(text) > LONGEST:
        raise ValueError(f"{where} has {len(text)} characters; expected at most {LONGEST}: shorten it")
    try:
        return ast.literal_eval(text.strip())
    except _UNREADABLE as error:
        raise ValueError(
            f"{where} is {short(text)}; expected a Python literal like (1, 2) or {{'stride': [2]}}: "
            "names, calls and arithmetic are not executed, so write the value itself"
        ) from error


def threshold(value: Any, where: str) -> float:
    """A number, or text like ``2**-10`` or ``0.001``."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        power = _POWER.fullmatch(value)
        try:
            return float(power[1]) ** int(power[2]) if power else float(value)
        except (ValueError, OverflowError, ZeroDivisionError):
            pass
    raise ValueError(f"{where} is {short(value)}; expected a number, or text like 2**-10")


# ---- ranges ----


_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


@dataclass(frozen=True)
class Range:
    """Uniform from ``low`` to ``high``, both included, unless ``mean`` and ``deviation`` say: a bell.

    ``must`` are values that have to occur; ``everything`` is the dtype's whole finite range.
    """

    low: float = -2.0
    high: float = 2.0
    must: tuple[float, ...] = ()
    everything: bool = False
    mean: tuple[float, float] | None = None
    deviation: tuple[float, float] = (1.0, 1.0)


ONES = Range(1.0, 1.0)


def of_atk(value: Any, where: str) -> Range:
    """``range_values`` of an ATK file."""
    if value is None:
        return Range()
    if isinstance(value, dict):
        if value.get("name") != "nd":
            raise ValueError(f"{where} is {short(value)}; expected the distribution nd, with mean and std")
        return Range(
            mean=_pair(value.get("mean"), f"{where}, mean"), deviation=_pair(value.get("std"), f"{where}, std")
        )
    if isinstance(value, list) and [str(item) for item in value] == ["-inf", "inf"]:
        return Range(everything=True)
    items = value if isinstance(value, list) else [value]
    numbers = [_number(item, where) for item in items]
    if len(numbers) not in (1, 2):
        raise ValueError(f"{where} is {short(value)}; expected a number, [low, high], or {{'name': 'nd', ...}}")
    return _ordered(numbers[0], numbers[-1], (), where)


def of_ttk(value: Any, where: str) -> Range:
    """One element of ``input_data_ranges`` of a TTK file."""
    if value is None:
        return Range()
    if not isinstance(value, tuple | list) or len(value) < 2:
        raise ValueError(f"{where} is {short(value)}; expected (min, max), (min, max, values that must occur) or None")
    low, high, *must = (_number(item, where) for item in value)
    return _ordered(low, high, tuple(must), where)


def draw(wanted: Range, stream: Stream, shape: tuple[int, ...], dtype: str) -> Array:
    """The tensor: a pure function of the stream."""
    fact = facts(dtype)
    values = _everything(stream, shape, fact) if wanted.everything else _drawn(wanted, stream, shape, fact)
    flat = values.reshape(-1)
    if len(wanted.must) and flat.size:
        places = stream.of(9).permutation(flat.size)[: len(wanted.must)]
        flat[places] = _cast(np.array(wanted.must[: len(places)], np.float64), fact)
    return flat.reshape(shape)


def _drawn(wanted: Range, stream: Stream, shape: tuple[int, ...], fact: Facts) -> Array:
    if wanted.mean is not None:
        mean, deviation = (
            low + (high - low) * float(stream.of(number).uniform((1,))[0])
            for number, (low, high) in ((5, wanted.mean), (6, wanted.deviation))
        )
        total = sum(stream.of(number).uniform(shape) for number in range(1, 5))
        return _cast(mean + deviation * math.sqrt(3.0) * (np.asarray(total) - 2.0), fact)
    if wanted.low == wanted.high or math.isnan(wanted.low):
        return _cast(np.full(shape, wanted.low), fact)
    if not fact.is_float:
        low = max(math.ceil(max(wanted.low, -(2.0**52))), int(fact.lowest))
        high = min(math.floor(min(wanted.high, 2.0**52)), int(fact.largest))
        return stream.integers(low, max(low, high), shape).astype(fact.dtype)
    share = stream.uniform(shape)
    least, most = max(wanted.low, -fact.largest), min(wanted.high, fact.largest)
    return _cast(least * (1.0 - share) + most * share, fact)


def _everything(stream: Stream, shape: tuple[int, ...], fact: Facts) -> Array:
    if fact.is_float:
        return _cast((2.0 * stream.uniform(shape) - 1.0) * fact.largest, fact)
    words: Array = stream.raw(shape)[0]
    if fact.bits == 1:
        return np.asarray(words % 2 == 1)
    cut: Array = words.astype(f"uint{8 * fact.dtype.itemsize}").view(fact.dtype)
    return cut


def _cast(values: Array, fact: Facts) -> Array:
    if fact.is_float:
        return rounded(float64(values), fact.dtype)
    low, high = max(fact.lowest, -(2**53)), min(fact.largest, 2**53)
    whole: Array = np.clip(np.rint(np.nan_to_num(values, nan=0.0, posinf=float(high), neginf=float(low))), low, high)
    return whole.astype(fact.dtype)


def _ordered(low: float, high: float, must: tuple[float, ...], where: str) -> Range:
    if low > high:
        raise ValueError(f"{where} goes from {low:g} to {high:g}; expected the smaller number first: swap them")
    return Range(low, high, must)


def _pair(value: Any, where: str) -> tuple[float, float]:
    items = value if isinstance(value, list) else [value, value]
    if len(items) != 2:
        raise ValueError(f"{where} is {short(value)}; expected [low, high]")
    low, high = (_number(item, where) for item in items)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"{where} is {short(value)}; expected finite numbers")
    return low, high


def _number(value: Any, where: str) -> float:
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if isinstance(value, bool | int | float):
        try:
            return float(value)
        except OverflowError:
            pass
    raise ValueError(f"{where} is {short(value)}; expected a number, 'inf', '-inf' or 'nan'")


# ---- a tensor, and the memory behind it ----


@dataclass(frozen=True)
class Tensor:
    dtype: str
    shape: tuple[int, ...]
    values: Range | Callable[[], Array] = field(default_factory=Range)
    storage: Storage | None = None

    def load(self, path: Path, where: str, digest: str = "") -> Array:
        """From a file that holds its storage; ValueError if its SHA-256 is another."""
        storage = self.storage or Storage(self.shape)
        memory = files.load(path, self.dtype, storage.shape)
        found = files.sha256(memory)
        if digest and found != digest:
            raise ValueError(
                f"{path} has the SHA-256 {found}; expected {digest} by the manifest: "
                "the file was changed, make it again"
            )
        return storage.view(memory, self.shape, where)
