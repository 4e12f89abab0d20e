"""The pages of operators about which there is nothing to say but what is declared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.spec import OpSpec

_PAGE = """\
% {generated}

# {title}

{summary}

```{{operator-support}} {name}
```

## Formula

```text
{formula}
```

## Example

```python
>>> from acltwin import {name}
{example}
```

## The function

```{{eval-rst}}
.. autofunction:: acltwin.{name}
```

## Arguments

The C functions take the same arguments in the same order, with the names of the second column.

```{{operator-arguments}} {name}
```

## Every rule

Rules are checked in this order, and the first broken one is reported. The C interface has two profiles, *documented*
and *device*; where none is named, both apply the rule.

```{{operator-rules}} {name}
```
"""


def _related(spec: OpSpec) -> str:
    if spec.c_only:
        return f"On arrays, [](../operators/{spec.alike}.md) computes the same." if spec.alike else ""
    if not spec.partner:
        return "It has no gradient."
    return f"{'The forward pass is' if spec.is_gradient else 'Its gradient is'} [](../operators/{spec.partner}.md)."


def _page(spec: OpSpec, generated: str) -> str:
    page = _PAGE if not spec.c_only else _cut(_cut(_PAGE, "## Example", "## Arguments"), "The C functions", "```")
    return page.format(
        generated=generated,
        name=spec.name,
        title=spec.c_name if spec.c_only else spec.name,
        summary=f"{spec.summary} {_related(spec)}".strip(),
        formula=spec.formula,
        example="" if spec.c_only else spec.doc[spec.doc.index(">>>") :].strip(),
    )


def _cut(text: str, begin: str, end: str) -> str:
    """Without what stands between the two words."""
    first = text.index(begin)
    return text[:first] + text[text.index(end, first) :]


def pages(operators: list[OpSpec], folder: Path, generated: str) -> dict[Path, str]:
    """By path, for operators without a page that somebody wrote."""
    paths = {folder / f"{spec.name}.md": spec for spec in operators if spec.doc or spec.c_only}
    return {
        path: _page(spec, generated)
        for path, spec in paths.items()
        if not path.exists() or path.read_text().startswith(f"% {generated}")
    }
