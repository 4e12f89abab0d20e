"""A call's arguments in the order in which the core takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acltwin.ops import OpSpec


def data_format(spec: OpSpec, values: Mapping[str, Any]) -> Any:
    """The order of the axes: what the call says, or the only one that the operator has."""
    return values.get("data_format", f"NC{spec.axes}")


def core_arguments(spec: OpSpec, values: Mapping[str, Any]) -> list[Any]:
    """Those of the array function by name, then what it may not have, and no ``out``."""
    documented = [values[argument.python_name] for argument in spec.parameters]
    index_dtype = [values["index_dtype"]] if spec.makes_indices else []
    return [*documented, *index_dtype, data_format(spec, values), values.get("rule", "device"), None]
