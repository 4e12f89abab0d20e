"""cann-bench's ``cases.yaml``: operator, shapes, dtypes and attributes of every case. A line is JSON, and so YAML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import name_of
from acltwin.golden.files.tensors import plain
from acltwin.golden.files.vendor import Format, Written
from acltwin.golden.files.vendor.calls import call_key
from acltwin.golden.files.vendor.ttk_csv import case_name


def write(cases: Sequence[Case], path: Path) -> Written:
    """One entry for a geometry and dtype: the file holds no data, so fills make no difference to it."""
    found = {call_key(case): case for case in reversed(cases)}
    rows = [_entry(case, case_name(case, cases)) for case in reversed(found.values())]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"- {json.dumps(row)}\n" for row in rows))
    return Written(len(rows))


def _entry(case: Case, name: str) -> dict[str, object]:
    tensors = list(case.inputs().values())
    names = [argument.name for argument in case.spec.inputs if argument.kind == "tensor"]
    return {
        "operator": case.spec.c_name,
        "case_id": name,
        "input_shape": [list(tensor.shape) for tensor in tensors],
        "dtype": [name_of(tensor.dtype) for tensor in tensors],
        "attrs": plain(case.arguments),
        "value_range": [-2, 2],
        "note": f"{', '.join(names)}; finds {', '.join(case.finds) or 'what the author says'}",
    }


FORMAT = Format("cann-bench", "cann-bench's cases.yaml", write=write)
