"""Every finding of check mode: what it means (from the library's own table), why it matters, how to fix it."""

from __future__ import annotations

from dataclasses import dataclass

from acltwin.check._meanings import MEANINGS
from acltwin.check.stories import STORIES

KINDS = ("race", "init", "bounds", "host", "leak", "use")


@dataclass(frozen=True)
class Finding:
    id: str
    what: str
    why: str
    fix: str

    @property
    def kind(self) -> str:
        return self.id.partition(".")[0]


FINDINGS = {name: Finding(name, what, *STORIES[name]) for name, what in MEANINGS.items()}
