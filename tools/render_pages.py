"""The pages of operators about which there is nothing to say but what is declared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.spec import OpSpec

_PAGE = """\
% {generated}

# {name}

{summary} {partner} [](../operators/{partner_name}.md).

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


def _page(spec: OpSpec, generated: str) -> str:
    return _PAGE.format(
        generated=generated,
        name=spec.name,
        summary=spec.summary,
        partner="The forward pass is" if spec.is_gradient else "Its gradient is",
        partner_name=spec.partner,
        formula=spec.formula,
        example=spec.doc[spec.doc.index(">>>") :].strip(),
    )


def pages(operators: list[OpSpec], folder: Path, generated: str) -> dict[Path, str]:
    """By path, for operators without a page that somebody wrote."""
    paths = {folder / f"{spec.name}.md": spec for spec in operators if spec.doc}
    return {
        path: _page(spec, generated)
        for path, spec in paths.items()
        if not path.exists() or path.read_text().startswith(f"% {generated}")
    }
