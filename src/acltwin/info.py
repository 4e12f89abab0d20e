"""``acltwin info``: what is running here, for people and for bug reports."""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
from importlib import metadata
from typing import Any

import acltwin
from acltwin import _core


def _jax_engine() -> str:
    if importlib.util.find_spec("jax") is None:
        return "not installed"
    from acltwin.jax import engine  # JAX takes a while to import

    return ": ".join(engine())


def _torch_version() -> str:
    return metadata.version("torch") if importlib.util.find_spec("torch") is not None else "not installed"


def describe() -> dict[str, Any]:
    """The facts, ready for JSON."""
    return {
        "version": acltwin.__version__,
        "library": _core.library_path(),
        "isa": _core.instruction_set(),
        "threads": _core.get_num_threads(),
        "output_pool_limit": _core.output_pool_limit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "jax": _jax_engine(),
        "torch": _torch_version(),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    facts = describe()
    if arguments.json:
        print(json.dumps(facts))
    else:
        width = max(map(len, facts))
        for key, value in facts.items():
            print(f"{key:<{width}}  {value}")
    return 0
