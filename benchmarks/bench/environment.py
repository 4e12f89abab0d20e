"""Where a run took place: without that its times mean nothing."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
from pathlib import Path

LIBRARIES = ("acltwin", "numpy", "torch", "jax")


def environment() -> dict[str, str]:
    level = importlib.import_module("acltwin._core").instruction_set()
    facts = {"the CPU": f"{_cpu()} ({level}, {len(os.sched_getaffinity(0))} usable cores)"}
    facts["Python"] = platform.python_version()
    for library in LIBRARIES:
        try:
            facts[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return facts


def other_work() -> str | None:
    """A warning when other programs keep the cores busy: threads that wait for each other suffer most."""
    load = os.getloadavg()[0]
    if load < 0.5:
        return None
    return f"load average {load:.1f}: other work is running, expected an idle machine; times and ratios are unsure"


def _cpu() -> str:
    """The model's name where Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
