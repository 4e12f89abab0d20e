"""Catalogues of causes: an entry is what a developer should know of a mistake, and the models that recognise it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from acltwin.golden.causes.model import Model, Page
from acltwin.golden.causes.steps import Step, models_from
from acltwin.ops.spec import OpSpec

Make = Callable[[OpSpec], Iterable[Model | Step]]


@dataclass(frozen=True)
class KnownCause:
    name: str  # of its page: "folder/name"
    title: str
    page: Page
    make: Make

    def models(self, spec: OpSpec) -> list[Model]:
        """Those for an operator, none if it cannot happen to it; a step is one model for every set of axes."""
        made = [models_from(spec, one) if isinstance(one, Step) else [one] for one in self.make(spec)]
        return [replace(model, page=self.name) for models in made for model in models]


KNOWN: list[KnownCause] = []


class Catalogue:
    """Causes of one folder of pages: "common" to every operator, "indexed" (with indices as input), or a family."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def cause(self, title: str, *, looks: str, arises: str, wrong: str, right: str, fix: str) -> Callable[[Make], Make]:
        """Above a function that makes the models for an operator; its name is the page's."""

        def take(make: Make) -> Make:
            name = f"{self.folder}/{make.__name__}"
            KNOWN.append(KnownCause(name, title, Page(looks, arises, wrong, right, fix), make))
            return make

        return take
