"""The mistakes that ``acltwin verify`` recognises, by the names that it prints."""

from __future__ import annotations

from functools import cache

from acltwin.explain.layout import wrapped
from acltwin.golden.causes import models_of
from acltwin.golden.causes.model import KNOWN, KnownCause, Model, cause_named
from acltwin.ops import OPERATORS


@cache
def _models() -> dict[str, tuple[Model, list[str]]]:
    found: dict[str, tuple[Model, list[str]]] = {}
    for spec in OPERATORS.values():
        for model in models_of(spec):
            found.setdefault(model.name, (model, []))[1].append(spec.name)
    return found


def topics() -> list[str]:
    return [*_models(), *(known.topic for known in KNOWN)]


def text(topic: str) -> str | None:
    if topic not in _models():
        return next((_story(known) for known in KNOWN if known.topic == topic), None)
    model, operators = _models()[topic]
    title = f"{model.name}  (a mistake that 'acltwin verify' recognises; kind: {model.cause})"
    formulas = (("Documented: ", model.documented), ("Observed:   ", model.observed))
    lines = [wrapped(formula, label) for label, formula in formulas if formula]
    lines.append(wrapped(", ".join(dict.fromkeys(operators)), "Operators:  "))
    known = cause_named(model.page)
    story = (("Looks like: ", known.page.looks), ("Arises:     ", known.page.arises), ("To fix it:  ", known.page.fix))
    lines += [wrapped(words, label) for label, words in story]
    lines.append(f"More:       acltwin explain {known.topic}")
    return "\n".join([title, "", wrapped(model.sentence), "", *lines])


def _story(known: KnownCause) -> str:
    """The page of a cause: what its mistakes have in common, and their names."""
    page = known.page
    found = [(model.name, operators) for model, operators in _models().values() if model.page == known.name]
    mistakes = [name for name, _ in found]
    operators = dict.fromkeys(operator for _, its in found for operator in its)
    code = [f"    - {line}" for line in page.wrong.splitlines()] + [f"    + {line}" for line in page.right.splitlines()]
    return "\n".join(
        [
            f"{known.topic}  (a cause that 'acltwin verify' names)",
            "",
            wrapped(f"{known.title}."),
            "",
            wrapped(page.looks, "Looks like: "),
            wrapped(page.arises, "Arises:     "),
            *code,
            wrapped(page.fix, "To fix it:  "),
            wrapped(", ".join(operators), "Operators:  "),
            wrapped(", ".join(mistakes), "Recognised: "),
        ]
    )
