"""The pages of operators, one per family: what somebody wrote about it, and then the generated entries."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from render_tables import between, title_of

if TYPE_CHECKING:
    from acltwin.ops.spec import OpSpec

# Of a family about which nobody wrote anything yet.
_BEGINNING = """\
# {title}

```text
{formulas}
```

## Operators

<!-- entries: written by tools/generate_operators.py -->
<!-- end -->
"""
_ENTRY = """
### {title}

{summary}

```{{operator}} {name}
```
"""


def _beginning(family: str, operators: list[OpSpec]) -> str:
    formulas = "\n".join(dict.fromkeys(spec.formula for spec in operators))
    return _BEGINNING.format(title=title_of(family), formulas=formulas)


def _entry(spec: OpSpec) -> str:
    alike = f" On arrays: [`{spec.alike}`](#{spec.alike})." if spec.alike else ""
    return _ENTRY.format(title=spec.title, summary=f"{spec.summary}{alike}", name=spec.name)


def pages(interfaces: list[OpSpec], folder: Path) -> dict[Path, str]:
    """By path."""
    families: dict[str, list[OpSpec]] = defaultdict(list)
    for spec in interfaces:
        families[spec.family].append(spec)
    return {
        folder / f"{family}.md": _page(folder / f"{family}.md", family, operators)
        for family, operators in families.items()
    }


def _page(path: Path, family: str, operators: list[OpSpec]) -> str:
    text = path.read_text() if path.exists() else _beginning(family, operators)
    ordered = sorted(operators, key=lambda spec: (spec.is_gradient, spec.c_only))
    return between(text, "entries", "".join(map(_entry, ordered)) + "\n")
