"""The cause of failures, as it is told to people and kept in records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from acltwin.golden.cases.checked import Count
from acltwin.golden.causes.model import KNOWN, cause_named


@dataclass(frozen=True)
class Named:
    """A model, for people."""

    name: str
    cause: str  # its class of fault
    sentence: str
    documented: str = ""
    observed: str = ""
    note: str = ""
    cost: float = 1.0
    page: str = ""  # of the documentation, under golden/causes; of two mistakes both, with a space between


@dataclass(frozen=True)
class Cause:
    """``kind``: one model fits, several do, or the nearest fits almost.

    ``explained`` of ``failing`` outputs are reproduced; ``agreeing`` of ``passing`` cases are not contradicted.
    """

    kind: Literal["known", "several", "nearest", "unknown"]
    models: tuple[Named, ...] = ()
    failing: Count = 0
    explained: Count = 0
    passing: Count = 0
    agreeing: Count = 0
    evidence: tuple[str, ...] = ()
    apart: str = ""  # a case on which several models differ

    def __str__(self) -> str:
        """As the text of a run says it."""
        return "\n".join(line[8:] for line in cause_lines(self))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def cause_lines(cause: Cause) -> list[str]:
    """Under the word "cause"."""
    if cause.kind == "known":
        model = cause.models[0]
        text = f'{model.sentence}: the model "{model.name}" {_reach(cause)}'
        return [f"cause   {text}", *_formulas(cause), *_page_lines(cause)]
    if cause.kind == "several":
        lines = [f"cause   one of {len(cause.models)}, each of which {_reach(cause)}; {cause.apart}"]
        lines += [f'        {model.sentence} ("{model.name}")' for model in cause.models]
        return lines + _page_lines(cause)
    lines = []
    if cause.kind == "nearest":
        nearest = f'the nearest, "{cause.models[0].name}", explains {cause.explained} of {cause.failing} failing cases'
        lines.append(f"cause   not known: no model explains all; {nearest}")
    else:
        fact = next((sentence for sentence in cause.evidence if sentence.startswith("only ")), "")
        known = f"{fact}; no model explains how" if fact else "not known: no model explains the failing outputs"
        lines.append(f"cause   {known}")
        return lines + _in_two_lines([sentence for sentence in cause.evidence if sentence != fact])
    return lines + _in_two_lines(cause.evidence)


def _in_two_lines(sentences: Sequence[str]) -> list[str]:
    """What wrong cells share, and at last an example."""
    return [f"        {line}" for line in ("; ".join(sentences[:-1]), *sentences[-1:]) if line]


def _page_lines(cause: Cause) -> list[str]:
    """What to do, and where to read more."""
    lines = []
    known = {one.name for one in KNOWN}  # a record may come from another version
    for name in dict.fromkeys(name for model in cause.models for name in model.page.split() if name in known):
        known_cause = cause_named(name)
        lines += [f"        to fix it: {known_cause.page.fix}", f"        more: acltwin explain {known_cause.topic}"]
    return lines


def _reach(cause: Cause) -> str:
    text = f"reproduces all {cause.failing} failing outputs" if cause.failing > 1 else "reproduces the failing output"
    return f"{text}, and agrees with the {cause.passing} that passed" if cause.passing else text


def _formulas(cause: Cause) -> list[str]:
    model = cause.models[0]
    if not model.documented:
        return []
    note = f"; {model.note}" if model.note else ""
    return [f"        {model.documented} is documented, {model.observed} was observed{note}"]
