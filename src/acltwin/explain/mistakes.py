"""The mistakes that ``acltwin verify`` recognises, by the names that it prints."""

from __future__ import annotations

from functools import cache

from acltwin.explain.layout import wrapped
from acltwin.golden.causes import models_of
from acltwin.golden.causes.model import Model, page_path, read_page
from acltwin.ops import OPERATORS


@cache
def _models() -> dict[str, tuple[Model, list[str]]]:
    found: dict[str, tuple[Model, list[str]]] = {}
    for spec in OPERATORS.values():
        for model in models_of(spec):
            found.setdefault(model.name, (model, []))[1].append(spec.name)
    return found


def topics() -> list[str]:
    return list(_models())


def text(topic: str) -> str | None:
    if topic not in _models():
        return None
    model, operators = _models()[topic]
    title = f"{model.name}  (a mistake that 'acltwin verify' recognises; kind: {model.cause})"
    formulas = (("Documented: ", model.documented), ("Observed:   ", model.observed))
    lines = [wrapped(formula, label) for label, formula in formulas if formula]
    lines.append(wrapped(", ".join(dict.fromkeys(operators)), "Operators:  "))
    _, page = read_page(model.page)
    story = (("Looks like: ", page.looks), ("Arises:     ", page.arises), ("To fix it:  ", page.fix))
    lines += [wrapped(words, label) for label, words in story]
    lines.append(f"Page:       docs/{page_path(model.page)}.md")
    return "\n".join([title, "", wrapped(model.sentence), "", *lines])
